import { randomInt, randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { ownIdentity } from '../../cluster/host/facts.ts';
import type { Client } from '../../client/client.ts';
import { inParallel } from '../../client/compat/in-parallel.ts';
import type { ClaimedJob, Completion } from '../../core/contract/exchange.ts';
import { ledgerPathOf } from '../../core/contract/files/runner.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { isOneOf, WAITS } from '../../core/job/statuses.ts';
import { type Adoption, adoptionOf } from '../../core/lifecycle/rerun/adoption.ts';
import type { JobWithFiles } from '../../core/lifecycle/rerun/out-of-date.ts';
import { CHOICE_NUMBERS, sendUpdate } from '../update/choice.ts';
import { outdatedOf } from '../update/update-plan.ts';

interface AdoptOptions {
  /** Only among these jobs and what they need. */
  readonly only?: readonly string[] | undefined;
  readonly isDryRun: boolean;
  readonly outputDir: string;
}

/**
 * Records jobs as made whose outputs are there, and runs nothing.
 *
 * They are claimed and reported as a runner does it, with the cause `adopted` and with their files as they are now. So each counts once,
 * and a command that is killed leaves jobs that the next runner of this host takes back.
 */
export async function adopt(
  client: Client,
  workflow: Workflow & { readonly id: number },
  { only, isDryRun, outputDir }: AdoptOptions,
): Promise<Adoption> {
  const { facts, reruns, unseenIn } = await outdatedOf(client, workflow.id, {
    force: [],
    onlyChanges: false,
    only,
    failedToo: true,
  });
  if (unseenIn !== undefined)
    throw new Refusal(
      'OUTPUTS_LOST',
      `the files of the workflow are looked at in the folder in which it was created: ${unseenIn}`,
    );
  const { jobs } = facts;
  const adoption = adoptionOf({ ...facts, open: new Set(reruns.run.map(({ job_id: id }) => id)) });
  if (isDryRun || adoption.adopted.length === 0) return adoption;
  const adopted = new Set(adoption.adopted);
  const chosen = jobs.filter(({ id }) => adopted.has(id));
  const choice = randomInt(1, CHOICE_NUMBERS);
  const change = chosen.flatMap(({ id, status }) => (isOneOf(WAITS, status) ? [] : [{ id, runs_again: true }]));
  await sendUpdate(client, workflow.id, { jobs: { change }, choice: { number: choice, job_ids: [...adopted] } }, false);
  const begun = await client.getWorkflow({ params: { id: workflow.id } });
  await reportAll(client, begun, { choice, labels: labelsOf(chosen), outputDir });
  return adoption;
}

/** Jobs in one exchange: 25 µs each to claim, and twice that to report. */
const AT_ONCE = 250;

interface ReportOptions {
  readonly choice: number;
  /** The different labels of the jobs: a claim with labels gets only jobs that have some. */
  readonly labels: readonly (readonly string[])[];
  readonly outputDir: string;
}

async function reportAll(
  client: Client,
  { id, run_id: runId = 0 }: Workflow & { readonly id: number },
  { choice, labels, outputDir }: ReportOptions,
): Promise<void> {
  const node = nodeOf(id, runId ?? 0, outputDir);
  const { id: nodeId } = await client.createComputeNode({ body: node });
  const who = { run_id: runId ?? 0, compute_node_id: nodeId, choice };
  let turn = 0;
  let completed: Completion[] = [];
  /** Reports the last jobs, and takes the next. */
  const exchange = async (wanted: readonly string[] | undefined) => {
    turn += 1;
    const want = wanted && { limit: AT_ONCE, prefetch: 0, labels: [...wanted] };
    const body = { ...who, turn, completed, want, is_last: wanted === undefined };
    const { jobs } = await client.exchange({ params: { id }, body });
    completed = await inParallel(jobs, TOGETHER, completionOf);
    return jobs.length;
  };
  // What waits for jobs with other labels is ready after these.
  for (let isNews = true; isNews;) {
    isNews = false;
    for (const each of labels) while ((await exchange(each)) > 0) isNews = true;
  }
  await exchange(undefined);
  await client.updateComputeNode({ params: { id: nodeId }, body: { ...node, is_active: false, duration_seconds: 0 } });
}

/** Jobs whose files are looked at together. */
const TOGETHER = 32;

async function completionOf(job: ClaimedJob): Promise<Completion> {
  const inputs = await Promise.all(
    (job.input_files ?? []).map(async ({ id, path }) => {
      const stats = await stat(path).catch(() => undefined);
      return stats === undefined ? [] : [{ id, st_mtime: stats.mtimeMs / 1000, st_size: stats.size }];
    }),
  );
  const files = await Promise.all(
    (job.output_files ?? []).map(async ({ id, path }) => {
      const stats = await stat(path).catch(() => undefined);
      return stats === undefined ? [] : [{ id, st_mtime: stats.mtimeMs / 1000 }];
    }),
  );
  return {
    job_id: job.id,
    attempt_id: job.attempt_id,
    status: 'completed',
    return_code: 0,
    exec_time_minutes: 0,
    completion_time: new Date().toISOString(),
    cause_code: 'adopted',
    files: files.flat(),
    inputs: inputs.flat(),
  };
}

function labelsOf(jobs: readonly (JobWithFiles & { readonly labels?: readonly string[] | null })[]): string[][] {
  const texts = new Set(jobs.map(({ labels }) => JSON.stringify((labels ?? []).toSorted())));
  return [...texts].map((text) => JSON.parse(text) as string[]);
}

/** The record under which this command reports: as that of a runner, so that the next one can prove that it is gone. */
function nodeOf(workflowId: number, runId: number, outputDir: string) {
  const identity = ownIdentity();
  const mark = randomUUID();
  return {
    workflow_id: workflowId,
    hostname: hostname(),
    pid: process.pid,
    start_time: new Date().toISOString(),
    is_active: true,
    num_cpus: 1,
    memory_gb: 0,
    num_gpus: 0,
    num_nodes: 1,
    compute_node_type: 'local',
    labels: [],
    process: identity && {
      boot_id: identity.boot_id,
      pid_namespace: identity.pid_namespace,
      start_ticks: identity.start_ticks,
      mark,
      // It writes none: what it held counts as begun.
      ledger: ledgerPathOf(resolve(outputDir), { workflowId, runId, mark }),
      machine_id: identity.machine_id,
      hardware_ids: identity.hardware_ids === undefined ? undefined : [...(identity.hardware_ids ?? [])],
    },
  };
}
