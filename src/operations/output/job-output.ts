import { filesOf, stdioOf } from '../../core/contract/files/job.ts';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { outputDirOfLedger } from '../../core/contract/files/runner.ts';
import type { Client } from '../../client/client.ts';
import { pause } from '../../client/long-timers.ts';
import { all } from '../../client/every.ts';
import type { Job } from '../../core/contract/job.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { isOneOf, NOT_RUN } from '../../core/job/statuses.ts';
import { someOf } from '../../core/quantity/count-text.ts';

/** An attempt at a job that has started. */
export interface StartedAttempt {
  readonly run: number;
  readonly attempt: number;
  readonly nodeId: number | undefined;
  /** `running`, or how it ended. */
  readonly status: string;
}

export interface WantedAttempt {
  /** Undefined: the newest. */
  readonly run: number | undefined;
  readonly attempt: number | undefined;
}

interface OutputOptions {
  readonly wanted: WantedAttempt;
  readonly stream: 'stdout' | 'stderr';
  /** Where the output folder is looked for beside the one that the runner registered. */
  readonly outputDir: string;
}

export interface JobOutput {
  readonly job: Job;
  readonly attempt: StartedAttempt;
  readonly path: string;
}

/** Finds the file with what a job printed. Throws `ATTEMPT_UNKNOWN` and `OUTPUT_MISSING`. */
export async function findOutput(
  client: Client,
  jobId: number,
  { wanted, stream, outputDir }: OutputOptions,
): Promise<JobOutput> {
  const { workflow, job, attempt, node } = await findAttempt(client, jobId, wanted);
  return { job, attempt, path: outputPath({ workflow, job, attempt, node, stream, outputDir }) };
}

/** Finds an attempt and the runner that had it. Throws `ATTEMPT_UNKNOWN`. */
export async function findAttempt(
  client: Client,
  jobId: number,
  wanted: WantedAttempt,
): Promise<Pick<OutputPlace, 'workflow' | 'job' | 'attempt' | 'node'>> {
  const job = await client.getJob({ params: { id: jobId } });
  const workflow = await client.getWorkflow({ params: { id: job.workflow_id } });
  const attempt = chosenAttempt(job, await startedAttempts(client, job, workflow.run_id ?? 0), wanted);
  const { nodeId } = attempt;
  const node =
    nodeId === undefined ? undefined : await client.getComputeNode({ params: { id: nodeId } }).catch(() => undefined);
  return { workflow, job, attempt, node };
}

/** The output folders in which the files of an attempt may be: that of its runner first. */
export const outputFolders = (node: ComputeNode | undefined, outputDir: string): string[] => {
  const ledger = node?.process?.ledger;
  return [...new Set([...(ledger ? [outputDirOfLedger(ledger)] : []), resolve(outputDir)])];
};

/** Between two looks at a job: soon enough for a reader, and two requests a second for the server. */
const LOOK_MS = 500;

/** Waits while a job has not started, and reports so once. An attempt that is named by number is not waited for. */
export async function untilStarted(
  client: Client,
  jobId: number,
  { run, attempt }: WantedAttempt,
  report: (waiting: Job) => void,
): Promise<void> {
  if (run !== undefined || attempt !== undefined) return;
  let isReported = false;
  for (;;) {
    const job = await client.getJob({ params: { id: jobId } });
    if (!isOneOf(NOT_RUN, job.status)) return;
    if (!isReported) report(job);
    isReported = true;
    await pause(LOOK_MS);
  }
}

/** Has this attempt at a running job ended by now? */
export async function hasEnded(client: Client, { id, start_time: start, attempt_id: attempt }: Job): Promise<boolean> {
  const now = await client.getJob({ params: { id: id } });
  return now.status !== 'running' || now.start_time !== start || now.attempt_id !== attempt;
}

/** The attempts at a job that have started, oldest first. */
async function startedAttempts(client: Client, job: Job, runId: number): Promise<StartedAttempt[]> {
  const id = job.id;
  const results = await all((page) =>
    client.listResults({ query: { workflow_id: job.workflow_id, job_id: id, all_runs: true, ...page } }),
  );
  const ended = results.map((each) => ({
    run: each.run_id,
    attempt: each.attempt_id ?? 1,
    nodeId: each.compute_node_id,
    status: String(each.status),
  }));
  const running = job.status === 'running' && {
    run: runId,
    attempt: job.attempt_id ?? 1,
    nodeId: job.compute_node_id ?? undefined,
    status: 'running',
  };
  return [...ended, ...(running === false ? [] : [running])].sort(
    (one, other) => one.run - other.run || one.attempt - other.attempt,
  );
}

/** The attempt that is meant. Throws `ATTEMPT_UNKNOWN`, which names those that there are. */
export function chosenAttempt(
  job: Job,
  attempts: readonly StartedAttempt[],
  { run, attempt }: WantedAttempt,
): StartedAttempt {
  const found = attempts.findLast(
    (each) => (run === undefined || each.run === run) && (attempt === undefined || each.attempt === attempt),
  );
  if (found !== undefined) return found;
  if (attempts.length === 0)
    throw new Refusal('ATTEMPT_UNKNOWN', `job ${job.id} (${job.name}) has not started: it is ${job.status}`);
  const asked = [
    ...(attempt === undefined ? [] : [`attempt ${attempt}`]),
    ...(run === undefined ? [] : [`run ${run}`]),
  ];
  const there = attempts.map((each) => `attempt ${each.attempt} of run ${each.run}`);
  throw new Refusal(
    'ATTEMPT_UNKNOWN',
    `job ${job.id} (${job.name}) has no ${asked.join(' of ')}; it has ${someOf(there)}`,
  );
}

interface OutputPlace {
  readonly workflow: Workflow;
  readonly job: Job;
  readonly attempt: StartedAttempt;
  /** The runner that had the attempt. */
  readonly node: ComputeNode | undefined;
  readonly stream: 'stdout' | 'stderr';
  /** Where the output folder is looked for beside the one that the runner registered. */
  readonly outputDir: string;
}

/**
 * The file with what an attempt printed. The folder that its runner used counts first: a folder of the same name in the
 * working directory may belong to another server, whose jobs have the same ids.
 *
 * Throws: `OUTPUT_MISSING`, which says why there is none.
 */
export function outputPath(place: OutputPlace): string {
  const { workflow, job, attempt, node, stream, outputDir } = place;
  const execution = workflow.execution_config ?? {};
  const paths = outputFolders(node, outputDir).map((folder) => {
    const files = filesOf(
      { workflowId: job.workflow_id, runId: attempt.run, outputDir: folder, execution },
      { id: job.id, attempt_id: attempt.attempt, name: job.name },
    );
    return files[stream];
  });
  const [first] = paths;
  const which = `attempt ${attempt.attempt} of job ${job.id} (${job.name}) in run ${attempt.run}`;
  const { mode, delete_on_success: isDeleted } = stdioOf(execution, job.name);
  if (first === undefined)
    throw new Refusal('OUTPUT_MISSING', `the ${stream} of ${which} is not kept: its stdio mode is ${mode}`);
  const path = paths.find((each) => each !== undefined && existsSync(each));
  if (path !== undefined) return path;
  if (isDeleted && attempt.status === 'completed')
    throw new Refusal(
      'OUTPUT_MISSING',
      `the ${stream} of ${which} was deleted when the job completed: stdio.delete_on_success is set`,
    );
  const looked = someOf([...new Set(paths.filter((each) => each !== undefined))]);
  if (node !== undefined && node.hostname !== hostname())
    throw new Refusal(
      'OUTPUT_MISSING',
      `the ${stream} of ${which} is not on this host, ${hostname()}: the job ran on ${node.hostname}; looked for ${looked}`,
    );
  throw new Refusal('OUTPUT_MISSING', `the ${stream} of ${which} is not there; looked for ${looked}`);
}
