import type { AttemptOfJob, JobExplanation } from '../core/contract/view.ts';
import { grouped } from '../core/quantity/count-text.ts';
import { timeText } from '../core/quantity/time-text.ts';
import type { Live } from './hooks.ts';
import { PageSection, Shown, Status, Time } from './parts.tsx';
import { type TableColumn, PageTable } from './table.tsx';
import { shortenedText } from './words.ts';

/** Every attempt of a job in every run, the last one first. */
export const JobAttempts = ({ live }: { readonly live: Live<JobExplanation> }) => (
  <Shown live={live} what="attempts">
    {({ attempts, attempts_left_out: leftOut }) =>
      attempts.length > 0 && (
        <PageSection title="Attempts">
          <PageTable
            label="Table of attempts"
            rows={attempts.toReversed()}
            keyOf={({ run_id: run, attempt_id: attempt }) => `${run} ${attempt}`}
            columns={attempts.some(({ why }) => why) ? [...COLUMNS, WHY] : COLUMNS}
          />
          {leftOut > 0 && <p class="note">and {grouped(leftOut)} before these</p>}
        </PageSection>
      )
    }
  </Shown>
);

const NONE = '–';
const COLUMNS: readonly TableColumn<AttemptOfJob>[] = [
  { title: 'Run', cell: ({ run_id: run }) => run ?? NONE },
  { title: 'Attempt', cell: ({ attempt_id: attempt }) => attempt },
  { title: 'Status', cell: ({ status }) => (status ? <Status status={status} /> : 'no result') },
  { title: 'Exit code', kind: 'number', cell: ({ return_code: code }) => code ?? NONE },
  { title: 'Took', kind: 'number', cell: ({ seconds }) => (typeof seconds === 'number' ? timeText(seconds) : NONE) },
  { title: 'Ended', kind: 'time', cell: ({ ended_at: at }) => (at ? <Time at={at} /> : NONE) },
  { title: 'On', cell: ({ hostname }) => (hostname ? shortenedText(hostname, 80) : NONE) },
];
const WHY: TableColumn<AttemptOfJob> = {
  title: 'Why',
  kind: 'wide',
  cell: ({ why }) => shortenedText(why ?? '', 1_000),
};
