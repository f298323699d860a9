import { useState } from 'preact/hooks';
import type { Job } from '../../core/contract/job.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import type { Result } from '../../core/contract/result.ts';
import { ENDED_BADLY, HELD, isOneOf, RUNS_NOW, SUCCEEDED, WAITS } from '../../core/job/statuses.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { Confirm } from '../confirm.tsx';
import { connection } from '../connection.ts';
import { ExplanationSection, useExplanation } from '../explanation.tsx';
import { JobAgain } from '../job-again.tsx';
import { JobAttempts } from '../job-attempts.tsx';
import { useLive, useNow } from '../hooks.ts';
import { JobProfile } from '../job-profile.tsx';
import { JobPriority } from '../job-priority.tsx';
import { lazy } from '../lazy.tsx';
import { Choices, CopiedCommand, JobLink, PageSection, Shown, Status, WayBack } from '../parts.tsx';
import { PageTable } from '../table.tsx';
import { Tail } from '../tail.tsx';
import { ageText, memoryWords, runtimeWords, statusWords, shortenedText } from '../words.ts';

const { client } = connection;
const Samples = lazy('samples', () => import('../samples/samples.tsx').then((part) => part.SamplesView));
/** Jobs that are named on each side. */
const MOST_NAMED = 20;

/** One job: what became of it, what it wrote, and what it asked for and used. */
export function JobView({ id }: { readonly id: number }) {
  const job = useLive(`job ${id}`, () => client.getJob({ params: { id } }), 2_000);
  return (
    <>
      <WayBack workflow={job.value?.workflow_id} />
      <Shown live={job} what={`job ${id}`}>
        {(found) => <Whole job={found} again={job.again} />}
      </Shown>
    </>
  );
}

function Whole({ job, again }: { readonly job: Job; readonly again: () => void }) {
  const { id, workflow_id: workflowId, status } = job;
  const isActive = isOneOf(WAITS, status) || isOneOf(HELD, status);
  const explanation = useExplanation(job);
  const results = useLive(
    `results ${id} ${status} ${job.attempt_id}`,
    () => client.listResults({ query: { workflow_id: workflowId, job_id: id, all_runs: true, limit: 100 } }),
    10_000,
  );
  const hasFailed = isOneOf(ENDED_BADLY, status);
  const ended = results.value?.items.length ?? 0;
  // Of a job that failed it is what the reader came for.
  const output = (ended > 0 || status === 'running') && (
    <Output key={`${hasFailed}`} job={job} ended={ended} first={hasFailed ? 'stderr' : 'stdout'} />
  );
  return (
    <>
      <div class="heading">
        <div>
          <h1 class="name">{shortenedText(job.name, 200)}</h1>
          <p class="facts">
            <span>#{id}</span>
            <Status status={String(status)} />
            {status === 'running' && <Elapsed job={job} />}
          </p>
        </div>
        <div class="buttons">
          <JobAgain job={job} again={again} />
          <JobPriority job={job} again={again} />
          <Confirm
            label="Cancel this job …"
            title="Cancel this job?"
            says="If it runs, its runner ends it. Jobs that depend on it are canceled, unless they run whatever happens; the rest of the workflow goes on."
            does="Cancel the job"
            isDangerous
            unlessFor={isActive ? undefined : `It is ${statusWords(String(status))}`}
            act={async () => {
              const { refused } = await client.cancelJobs({ params: { id: workflowId }, body: { job_ids: [id] } });
              if (refused[0] !== undefined) throw new Error(refused[0].message);
              again();
            }}
          />
        </div>
      </div>
      {hasFailed && output}
      {hasFailed && <ExplanationSection live={explanation} />}
      <PageSection title="Command">
        <CopiedCommand text={job.command.slice(0, 20_000)} />
      </PageSection>
      {!hasFailed && !isOneOf(SUCCEEDED, status) && !isOneOf(RUNS_NOW, status) && (
        <ExplanationSection live={explanation} />
      )}
      <JobAttempts live={explanation} />
      {!hasFailed && output}
      <Shown live={results} what="results">
        {({ items }) => (
          <>
            <Use job={job} result={items.toSorted(byAttempt).at(-1)} />
            {(items.length > 0 || status === 'running') && <Samples job={job} />}
            <JobProfile job={job} result={items.toSorted(byAttempt).at(-1)} />
          </>
        )}
      </Shown>
      <Dependencies job={job} />
    </>
  );
}

const byAttempt = (one: Result, other: Result) =>
  one.run_id - other.run_id || (one.attempt_id ?? 1) - (other.attempt_id ?? 1);

const Elapsed = ({ job }: { readonly job: Job }) => <span>started {ageText(job.start_time, useNow(1_000))}</span>;

const STREAMS = ['stdout', 'stderr'] as const;
type Stream = (typeof STREAMS)[number];

function Output({ job, ended, first }: { readonly job: Job; readonly ended: number; readonly first: Stream }) {
  const [stream, setStream] = useState(first);
  return (
    <PageSection title="Last lines" aside={<Choices label="Stream" of={STREAMS} shown={stream} choose={setStream} />}>
      <Tail key={`${ended}`} jobId={job.id} stream={stream} lines={60} isLive={job.status === 'running'} />
    </PageSection>
  );
}

function Use({ job, result }: { readonly job: Job; readonly result: Result | undefined }) {
  const needs = useLive(
    `needs ${job.resource_requirements_id}`,
    () => client.getResourceRequirements({ params: { id: job.resource_requirements_id ?? 0 } }),
    60_000,
  );
  return (
    <PageSection title="Asked for and used">
      <Shown live={needs} what="requirements">
        {(asked) => (
          <PageTable
            label="Table of resources"
            rows={rowsOf(asked, result)}
            keyOf={([name]) => name}
            columns={[
              { title: 'Resource', cell: ([name]) => name },
              { title: 'Asked for', kind: 'number', cell: ([, wanted]) => wanted },
              { title: 'Used, at most', kind: 'number', cell: ([, , used]) => used },
            ]}
          />
        )}
      </Shown>
    </PageSection>
  );
}

/** A resource, what was asked for, and what the last attempt used. */
function rowsOf(asked: ResourceRequirements, result: Result | undefined): [string, string, string][] {
  const [memory, cpu] = [result?.peak_memory_bytes, result?.peak_cpu_percent];
  const [gpu, cards] = [result?.peak_gpu_memory_bytes, result?.gpu_memory_bytes];
  return [
    ['CPUs', String(asked.num_cpus ?? 1), typeof cpu === 'number' ? (cpu / 100).toFixed(1) : '–'],
    ['Memory', memoryWords(asked.memory), typeof memory === 'number' ? sizeText(memory) : '–'],
    ...((asked.num_gpus ?? 0) > 0 ? [['GPUs', String(asked.num_gpus), '–'] as [string, string, string]] : []),
    ...(gpu
      ? [['GPU memory', cards ? `all of ${sizeText(cards)}` : '–', sizeText(gpu)] as [string, string, string]]
      : []),
    [
      'Time',
      runtimeWords(asked.runtime),
      result === undefined ? '–' : timeText(Math.max(0, result.exec_time_minutes * 60)),
    ],
  ];
}

function Dependencies({ job }: { readonly job: Job }) {
  const above = job.depends_on_job_ids ?? [];
  const live = useLive(
    `around ${job.id} ${above.length}`,
    async () => ({
      above: await Promise.all(above.slice(0, MOST_NAMED).map((id) => client.getJob({ params: { id } }))),
      below: await client.listJobs({
        query: { workflow_id: job.workflow_id, upstream_job_id: job.id, limit: MOST_NAMED },
      }),
    }),
    10_000,
  );
  return (
    <PageSection title="Dependencies">
      <Shown live={live} what="dependencies">
        {({ above: before, below }) => (
          <div class="sides">
            <Side title="Jobs that it waits for" jobs={before} total={above.length} none="It waits for no job." />
            <Side
              title="Jobs that wait for it"
              jobs={below.items}
              total={below.total_count}
              none="No job waits for it."
            />
          </div>
        )}
      </Shown>
    </PageSection>
  );
}

function Side({
  title,
  jobs,
  total,
  none,
}: {
  readonly title: string;
  readonly jobs: readonly Job[];
  readonly total: number;
  readonly none: string;
}) {
  return (
    <div>
      <h3>{title}</h3>
      {jobs.length === 0 && <p class="note">{none}</p>}
      <ul class="jobs">
        {jobs.map(({ id, name, status }) => (
          <li key={id}>
            <JobLink id={id} name={name} />
            <Status status={String(status)} />
          </li>
        ))}
      </ul>
      {total > jobs.length && <p class="note">and {total - jobs.length} more</p>}
    </div>
  );
}
