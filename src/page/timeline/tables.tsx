import type { TimelineAttempt, TimelineBand } from '../../core/contract/view.ts';
import { grouped } from '../../core/quantity/count-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { JobLink, Status } from '../parts.tsx';
import { type TableColumn, PageTable } from '../table.tsx';
import { causeWords, shortenedText } from '../words.ts';
import { peakWords } from './rows.tsx';
import { clockText } from './window.ts';

export const sum = (list: readonly number[]) => list.reduce((total, each) => total + each, 0);

/** The figures of the bands. */
export const BandTable = ({ bands, title }: { readonly bands: readonly TimelineBand[]; readonly title: string }) => (
  <PageTable
    label="Table of the timeline"
    rows={bands}
    keyOf={({ key }) => key ?? ''}
    columns={[
      { title, kind: 'wide', cell: ({ name }) => shortenedText(name, 80) },
      { title: 'At most', kind: 'number', cell: ({ running }) => peakWords(running) },
      { title: 'Attempts', kind: 'number', cell: ({ attempts }) => grouped(attempts) },
      { title: 'Retries', kind: 'number', cell: ({ retries }) => grouped(retries) },
      { title: 'Ended', kind: 'number', cell: ({ ended }) => grouped(sum(ended)) },
      {
        title: 'Failed',
        kind: 'number',
        cell: ({ failed }) => grouped(sum(failed)),
        class: ({ failed }) => (sum(failed) > 0 ? 'is-bad' : ''),
      },
    ]}
  />
);

const columnsOf = (shownMs: number): readonly TableColumn<TimelineAttempt>[] => [
  { title: 'Job', cell: ({ job_id: id, job_name: name }) => <JobLink id={id} name={name} /> },
  { title: 'Attempt', kind: 'number', cell: ({ attempt_id: attempt }) => attempt },
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
  { title: 'Started', cell: ({ start }) => <At ms={Date.parse(start)} shownMs={shownMs} /> },
  {
    title: 'Took',
    kind: 'number',
    cell: ({ start, end }) => (end ? timeText((Date.parse(end) - Date.parse(start)) / 1000) : '–'),
  },
  { title: 'Runner', cell: ({ compute_node_name: node }) => shortenedText(node ?? '–', 60) },
  { title: 'Cause', cell: (attempt) => shortenedText(causeWords(attempt) ?? '', 200), class: () => 'line' },
];

/** The attempts that are drawn one by one. */
export const AttemptTable = ({
  attempts,
  shownMs,
}: {
  readonly attempts: readonly TimelineAttempt[];
  readonly shownMs: number;
}) => (
  <PageTable
    label="Table of the attempts"
    rows={attempts}
    keyOf={({ job_id: job, attempt_id: attempt }) => `${job} ${attempt}`}
    columns={columnsOf(shownMs)}
  />
);

/** A time of the reader; in UTC under the pointer. */
export const At = ({ ms, shownMs }: { readonly ms: number; readonly shownMs: number }) => (
  <time dateTime={new Date(ms).toISOString()} title={new Date(ms).toISOString()}>
    {clockText(ms, shownMs)}
  </time>
);
