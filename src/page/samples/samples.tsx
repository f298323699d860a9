import type { Job } from '../../core/contract/job.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import type { JobSamples } from '../../core/contract/view.ts';
import { parseMemory } from '../../core/quantity/bytes.ts';
import { counted, grouped } from '../../core/quantity/count-text.ts';
import { readAmount } from '../../core/quantity/read-amount.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { connection } from '../connection.ts';
import { useLive } from '../hooks.ts';
import { CopiedCommand, PageSection, Shown, Time } from '../parts.tsx';
import { PageTable } from '../table.tsx';
import { Series, TimeScale } from '../telemetry/series.tsx';
import { shortenedText } from '../words.ts';
import { type Sample, samplesOf, sampleSteps } from './samples-of.ts';

const { client } = connection;

/** CPU and memory of the newest attempt over time, beside what was asked for. */
export function SamplesView({ job }: { readonly job: Job }) {
  const { id, status, attempt_id: attempt, resource_requirements_id: needs } = job;
  const live = useLive(
    `samples ${id} ${status} ${attempt}`,
    async () => {
      const [found, asked] = await Promise.all([
        client.getJobSamples({ params: { id } }),
        client.getResourceRequirements({ params: { id: needs ?? 0 } }),
      ]);
      return { found, asked };
    },
    status === 'running' ? 10_000 : 60_000,
  );
  return (
    <PageSection title="CPU and memory over time">
      <Shown live={live} what="samples">
        {({ found, asked }) =>
          found.reason ? <NotRead of={found} reason={found.reason} /> : <Plots of={found} asked={asked} />
        }
      </Shown>
    </PageSection>
  );
}

function NotRead({ of: { hostname, path, command }, reason }: { readonly of: JobSamples; readonly reason: string }) {
  return (
    <>
      <p class="note">
        {path ? (
          <>
            Its samples are in <code>{shortenedText(path, 400)}</code> on {shortenedText(hostname ?? 'its node', 80)};
            they are not shown here: {reason}. This draws them:
          </>
        ) : (
          <>Nothing is shown: {reason}.</>
        )}
      </p>
      {path && <CopiedCommand text={command} />}
    </>
  );
}

function Plots({ of, asked }: { readonly of: JobSamples; readonly asked: ResourceRequirements }) {
  const samples = samplesOf(of);
  const waits = of.written_every_seconds
    ? ` Its runner writes them every ${timeText(of.written_every_seconds)} and when it ends.`
    : '';
  if (samples.length === 0)
    return (
      <p class="note">No sample of this attempt was written{waits === '' ? ': it was too short.' : ` yet.${waits}`}</p>
    );
  const stepMs = of.interval_seconds * 1000;
  const { fromMs, untilMs, points } = sampleSteps(samples, stepMs);
  const shared = { stepMs, fromMs, untilMs };
  const plot = (value: (sample: Sample) => number) =>
    points.map(({ sample, ms, endMs }) => ({ ms, endMs, value: value(sample) }));
  const cores = asked.num_cpus ?? 1;
  // The requirements of jobs that name none say nothing.
  const memoryBytes = asked.name === 'default' ? undefined : readAmount(asked.memory, parseMemory);
  return (
    <>
      <Series
        {...shared}
        title="CPUs in use"
        points={plot(({ cpuPercent }) => cpuPercent / 100)}
        asked={cores}
        textOf={(cpus) => cpus.toFixed(1)}
      />
      <Series
        {...shared}
        title="Memory"
        points={plot((sample) => sample.memoryBytes)}
        asked={memoryBytes}
        textOf={(bytes) => sizeText(Math.round(bytes))}
      />
      <TimeScale {...shared} />
      <p class="note">
        {counted(of.samples ?? 0, 'sample')}
        {(of.samples ?? 0) > samples.length &&
          `, as ${grouped(samples.length)} points with their mean CPU and most memory`}
        .{waits}
      </p>
      <PageTable
        label="Table of the samples"
        rows={samples.toReversed()}
        keyOf={({ atMs }) => atMs}
        columns={[
          { title: 'Time', kind: 'time', cell: ({ atMs }) => <Time at={new Date(atMs).toISOString()} /> },
          { title: 'CPUs', kind: 'number', cell: ({ cpuPercent }) => (cpuPercent / 100).toFixed(2) },
          { title: 'Memory', kind: 'number', cell: (sample) => sizeText(sample.memoryBytes) },
          { title: 'Processes', kind: 'number', cell: ({ processes }) => grouped(processes) },
        ]}
      />
    </>
  );
}
