import { sizeText } from '../../core/quantity/size-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { useLive } from '../hooks.ts';
import { PageSection, SearchField, Shown, Time } from '../parts.tsx';
import { replaceQuery } from '../query.ts';
import { type TableColumn, PageTable } from '../table.tsx';
import { shortenedText } from '../words.ts';
import type { TelemetryJob } from '../../core/contract/telemetry.ts';
import { connection } from '../connection.ts';
import { Frame, Hourly, roundPercentText } from './frame.tsx';
import { jobPath } from './paths.ts';
import { RangeControl } from './range-control.tsx';
import { rangeParameters, rangeOf } from './range.ts';

const { client } = connection;

const MARGIN_MS = 60_000;

/** The jobs of a cluster, those that used most CPU time first. */
export function JobsView({ cluster, query }: { readonly cluster: string; readonly query: URLSearchParams }) {
  const range = rangeOf(query, Date.now());
  const live = useLive(
    `jobs ${cluster} ${query.get('from')} ${query.get('to')} ${query.get('span')}`,
    () => client.listTelemetryJobs({ query: { cluster, ...rangeParameters(rangeOf(query, Date.now())) } }),
    60_000,
  );
  const text = query.get('job') ?? '';
  return (
    <>
      <Frame cluster={cluster} shown="jobs" title={cluster} />
      <PageSection title="Jobs">
        <RangeControl range={range} spans={['24h', '3d', '7d']} />
        <SearchField
          label="Job"
          value={text}
          placeholder="number, user or name"
          set={(value) => replaceQuery({ job: value })}
        />
        <Shown live={live} what="jobs">
          {({ items, hourly }) => {
            const found = items.filter((each) => isMatch(each, text));
            return (
              <>
                {found.length === 0 && (
                  <p class="note">
                    {items.length === 0
                      ? 'No samples of jobs that you may see came in this time.'
                      : 'No job matches this filter.'}
                  </p>
                )}
                {found.length > 0 && (
                  <PageTable
                    label="Table of jobs"
                    rows={found}
                    keyOf={({ job, epoch, nodes }) => `${job} ${epoch} ${nodes[0]}`}
                    columns={columnsOf(cluster)}
                  />
                )}
                <Hourly hourly={hourly} />
              </>
            );
          }}
        </Shown>
      </PageSection>
    </>
  );
}

const isMatch = ({ job, user, name, commands }: TelemetryJob, text: string) =>
  text === '' || String(job) === text || [user, name, ...commands].some((each) => each.includes(text));

/** The address of a profile: the time of the job, and which of the jobs with this number it is. */
function profileAddress(cluster: string, { job, epoch, first, last }: TelemetryJob): string {
  const query = new URLSearchParams({
    ...rangeParameters({ fromMs: Date.parse(first) - MARGIN_MS, untilMs: Date.parse(last) + MARGIN_MS }),
    ...(epoch === 0 ? {} : { epoch: String(epoch) }),
  });
  return `#${jobPath(cluster, job)}?${query}`;
}

const columnsOf = (cluster: string): TableColumn<TelemetryJob>[] => [
  {
    title: 'Job',
    cell: (use) => <a href={profileAddress(cluster, use)}>{use.job}</a>,
  },
  { title: 'User', cell: ({ user }) => shortenedText(user, 40) },
  { title: 'Name or command', cell: ({ name, commands }) => shortenedText(name || commands.join(', '), 60) },
  { title: 'State', cell: ({ state }) => state.toLowerCase() },
  { title: 'Nodes', kind: 'number', cell: ({ nodes }) => nodes.length },
  { title: 'CPU time', kind: 'number', cell: ({ cpu_seconds: seconds }) => timeText(seconds) },
  { title: 'CPUs', kind: 'number', cell: ({ cpu_percent: percent }) => (percent / 100).toFixed(1) },
  { title: 'Memory', kind: 'number', cell: ({ peak_memory_kb: kb }) => sizeText(kb * 1024) },
  {
    title: 'GPU',
    kind: 'number',
    cell: ({ cards, gpu_percent: percent }) => (cards.length === 0 ? '–' : roundPercentText(percent)),
  },
  { title: 'Last sample', kind: 'time', cell: ({ last }) => <Time at={last} /> },
];
