import { counted } from '../../core/quantity/count-text.ts';
import { greatest, smallest } from '../../core/quantity/extremes.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { useLive } from '../hooks.ts';
import { PageSection, Shown, Time } from '../parts.tsx';
import { replaceQuery } from '../query.ts';
import { type TableColumn, PageTable } from '../table.tsx';
import { shortenedText } from '../words.ts';
import type {
  TelemetryHours,
  ProfileAttempt,
  ProcessUse,
  ProfileStep,
  TelemetryProfile,
} from '../../core/contract/telemetry.ts';
import { connection } from '../connection.ts';
import { Frame, Hourly, roundPercentText } from './frame.tsx';
import { byNodeName } from './heat-cells.ts';
import { shortName } from './heat-map.tsx';
import { RangeControl } from './range-control.tsx';
import { rangeParameters, rangeOf } from './range.ts';
import { Series, TimeScale } from './series.tsx';
import { sumsOver, stepOf } from './profile-sums.ts';

const { client } = connection;

/** What a job of Slurm did over time, on all its nodes or on one. */
export function ProfileView({
  cluster,
  job,
  query,
}: {
  readonly cluster: string;
  readonly job: string;
  readonly query: URLSearchParams;
}) {
  const range = rangeOf(query, Date.now());
  const live = useLive(
    `profile ${cluster} ${job} ${query.get('from')} ${query.get('to')} ${query.get('span')} ${query.get('epoch')}`,
    () =>
      client.getTelemetryProfile({
        query: {
          cluster,
          job,
          epoch: query.get('epoch') ?? undefined,
          processes: true,
          ...rangeParameters(rangeOf(query, Date.now())),
        },
      }),
    30_000,
  );
  return (
    <>
      <Frame cluster={cluster} title={`Job ${job}`} />
      <PageSection title="Over time">
        <RangeControl range={range} spans={['24h', '3d', '7d', '30d']} />
        <Shown live={live} what="the profile">
          {(profile) =>
            profile.steps.length === 0 ? (
              <p class="note">No samples of this job, or none that you may see, came in this time.</p>
            ) : (
              <Drawn profile={profile} query={query} />
            )
          }
        </Shown>
      </PageSection>
      {live.value !== undefined && live.value.steps.length > 0 && (
        <>
          <Attempts attempts={live.value.attempts} />
          <Processes processes={live.value.processes ?? []} />
        </>
      )}
    </>
  );
}

function Drawn({
  profile,
  query,
}: {
  readonly profile: TelemetryProfile & { readonly hourly?: TelemetryHours | undefined };
  readonly query: URLSearchParams;
}) {
  const nodes = [...new Set(profile.steps.map(({ node }) => node))].toSorted(byNodeName);
  const node = nodes.find((each) => each === query.get('node'));
  const steps = node === undefined ? profile.steps : profile.steps.filter((step) => step.node === node);
  const stepMs = stepOf(profile) * 1000;
  const sums = sumsOver(steps, stepMs);
  const times = sums.map(({ ms }) => ms);
  const shared = {
    stepMs,
    fromMs: smallest(times, times[0]),
    untilMs: greatest(times, times[0]) + stepMs,
  };
  const points = (value: (sum: (typeof sums)[number]) => number) =>
    sums.map((sum) => ({ ms: sum.ms, value: value(sum) }));
  return (
    <>
      <p class="facts">
        <span>{counted(nodes.length, 'node')}</span>
        <span>{profile.every_seconds === 0 ? 'each sample' : `in steps of ${timeText(profile.every_seconds)}`}</span>
      </p>
      {nodes.length > 1 && (
        <label class="filter">
          <span>Node</span>
          <select value={node ?? ''} onChange={({ currentTarget }) => replaceQuery({ node: currentTarget.value })}>
            <option value="">all {nodes.length}</option>
            {nodes.map((each) => (
              <option key={each} value={each}>
                {shortName(each)}
              </option>
            ))}
          </select>
        </label>
      )}
      <Series {...shared} title="CPUs in use" points={points(({ cpus }) => cpus)} textOf={(cpus) => cpus.toFixed(1)} />
      <Series {...shared} title="Memory" points={points(({ bytes }) => bytes)} textOf={sizeText} />
      {sums.some(({ gpu, gpuBytes }) => gpu > 0 || gpuBytes > 0) && (
        <>
          <Series
            {...shared}
            title="GPU, of one card"
            points={points(({ gpu }) => gpu)}
            most={100}
            textOf={roundPercentText}
          />
          <Series {...shared} title="Memory of GPUs" points={points(({ gpuBytes }) => gpuBytes)} textOf={sizeText} />
        </>
      )}
      <TimeScale {...shared} />
      <Hourly hourly={profile.hourly} />
      <PageTable
        label="Table of the use of the job"
        rows={steps.toReversed()}
        keyOf={({ time, node: each }) => `${time} ${each}`}
        columns={STEP_COLUMNS}
      />
    </>
  );
}

function Attempts({ attempts }: { readonly attempts: readonly ProfileAttempt[] }) {
  if (attempts.length === 0) return null;
  return (
    <PageSection title="Jobs of workflows in it">
      <PageTable
        label="Table of attempts"
        rows={attempts}
        keyOf={({ workflow, workflow_job: job, run, attempt }) => `${workflow} ${job} ${run} ${attempt}`}
        columns={[
          { title: 'Workflow', cell: ({ workflow }) => <a href={`#/workflows/${workflow}`}>{workflow}</a> },
          { title: 'Job', cell: ({ workflow_job: job }) => <a href={`#/jobs/${job}`}>{job}</a> },
          { title: 'Run', cell: ({ run }) => run },
          { title: 'Attempt', cell: ({ attempt }) => attempt },
        ]}
      />
    </PageSection>
  );
}

const Processes = ({ processes }: { readonly processes: readonly ProcessUse[] }) => (
  <PageSection title="Processes">
    {processes.length === 0 && <p class="note">No processes are kept of this time.</p>}
    {processes.length > 0 && (
      <PageTable
        label="Table of processes"
        rows={processes}
        keyOf={({ node, pid, first }) => `${node} ${pid} ${first}`}
        columns={PROCESS_COLUMNS}
      />
    )}
  </PageSection>
);

const STEP_COLUMNS: readonly TableColumn<ProfileStep>[] = [
  { title: 'Time', kind: 'time', cell: ({ time }) => <Time at={time} /> },
  { title: 'Node', cell: ({ node }) => shortName(node) },
  { title: 'CPUs', kind: 'number', cell: ({ cpu_percent: percent }) => (percent / 100).toFixed(1) },
  { title: 'Memory', kind: 'number', cell: ({ memory_kb: kb }) => sizeText(kb * 1024) },
  { title: 'GPU', kind: 'number', cell: ({ gpu_percent: percent }) => roundPercentText(percent) },
  { title: 'GPU memory', kind: 'number', cell: ({ gpu_memory_kb: kb }) => sizeText(kb * 1024) },
  { title: 'Processes', kind: 'number', cell: ({ processes }) => processes },
];

const PROCESS_COLUMNS: readonly TableColumn<ProcessUse>[] = [
  {
    title: 'Command',
    cell: ({ cmd, depth }) => <code>{`${'  '.repeat(Math.min(depth, 20))}${shortenedText(cmd, 80)}`}</code>,
  },
  { title: 'Process', kind: 'number', cell: ({ pid }) => pid },
  { title: 'Node', cell: ({ node }) => shortName(node) },
  { title: 'CPU time', kind: 'number', cell: ({ cpu_seconds: seconds }) => timeText(seconds) },
  { title: 'Memory, at most', kind: 'number', cell: ({ peak_memory_kb: kb }) => sizeText(kb * 1024) },
  { title: 'First sample', kind: 'time', cell: ({ first }) => <Time at={first} /> },
  { title: 'Last sample', kind: 'time', cell: ({ last }) => <Time at={last} /> },
];
