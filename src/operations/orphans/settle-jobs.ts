import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { withSubstitute } from '../../client/compat/unknown-route.ts';
import { type ExitCodes, LOST_CODE } from '../../core/attempt/judge.ts';
import { type StepId, stepIdOf } from '../../core/contract/files/job.ts';
import type { CauseCode } from '../../core/contract/cause-code.ts';
import type { Job } from '../../core/contract/job.ts';
import type { FailureHandler } from '../../core/contract/scheduling.ts';
import type { JobCompletion } from '../../core/contract/result.ts';
import { readCauses } from '../../core/lifecycle/retry/cause-rules.ts';
import { type DeadNode, NO_ACTIVE_NODES, type Orphans } from '../../core/lifecycle/recover/orphans.ts';
import { type LedgerFacts } from '../../runner/ledger/read-ledger.ts';
import { provenBy } from '../../runner/recover/lost-runners.ts';
import { leftEndOf } from '../../runner/step/slurm/left-steps.ts';
import { ledgerOf, type OwnRecords, type Records, type SlurmFacts } from './find.ts';

export interface CleanOptions {
  /** Undefined where there is no Slurm. */
  readonly slurm: OwnRecords | undefined;
  /** Where journals of runners are looked for. */
  readonly outputDir: string;
  readonly isDryRun: boolean;
  readonly nowMs: () => number;
}

export interface OrphanedJob {
  readonly job_id: number;
  readonly job_name: string;
  readonly reason: string;
  readonly cause_code: CauseCode;
  readonly slurm_job_id?: string;
}

/** The return code of a job that was lost with its runner, as in Torc 1.0.0. */
const FAILED_NODE = 'orphan-recovery';
/** Entries in one request. Too many, and other requests wait: 500 hold the server for 40 ms, 67 ms the first time. */
const BATCH = 200;

/** What is known of a workflow while its jobs are settled. */
export interface Tools extends CleanOptions {
  readonly client: Client;
  readonly workflowId: number;
  readonly runId: number;
  readonly records: Records;
  readonly facts: SlurmFacts;
  /** Of the workflow. */
  readonly codes: ExitCodes;
}

interface Settled {
  readonly failed: OrphanedJob[];
  kept: number;
  /** Jobs that run again because of `on_node_fail`. */
  retried: number;
  readonly warnings: string[];
}

/** Corrects the records of the jobs and runners that are gone. */
export async function settleJobs(tools: Tools, orphans: Orphans): Promise<Settled> {
  const { records, client, workflowId, runId, isDryRun } = tools;
  const settled: Settled = { failed: [], kept: 0, retried: 0, warnings: [] };
  const retrying = orphans.deadNodes.some(({ isNodeLost }) => isNodeLost)
    ? await handlersThatRetry(client, workflowId)
    : new Set<number>();
  const jobs = new Map(records.running.map((job) => [job.id, job]));
  const nodes = new Map(records.nodes.map((node) => [node.id, node]));
  for (const dead of [...orphans.deadNodes, ...orphans.requeuedNodes]) {
    const ledger = ledgerOf(nodes.get(dead.nodeId) as Records['nodes'][number], runId);
    const isRequeued = orphans.requeuedNodes.includes(dead);
    if (!isRequeued) await settleNode(tools, { dead, ledger, jobs, settled, retrying });
    if (isDryRun) continue;
    const body = {
      run_id: runId,
      // A node that crashed may have lost the last lines of its ledger, so a job that it lacks may have started.
      ...provenBy(ledger, 'rebooted', { runId, nodeId: dead.nodeId }),
      reason: dead.cause,
    };
    const report = client.reportLostRunner({ params: { id: workflowId, compute_node_id: dead.nodeId }, body });
    // Torc's own server has no such route.
    await withSubstitute<unknown>(report, () => {
      const node = nodes.get(dead.nodeId) as Records['nodes'][number];
      return client.updateComputeNode({ params: { id: dead.nodeId }, body: { ...node, is_active: false } });
    });
  }
  await settleAbandoned(tools, orphans, jobs, settled);
  return settled;
}

interface OfNode {
  readonly dead: DeadNode;
  readonly ledger: LedgerFacts | undefined;
  readonly jobs: ReadonlyMap<number, Job>;
  readonly settled: Settled;
  /** Failure handlers whose jobs run again when their node was lost. */
  readonly retrying: ReadonlySet<number>;
}

async function handlersThatRetry(client: Client, workflowId: number): Promise<Set<number>> {
  const handlers = await all((page) => client.listFailureHandlers({ params: { id: workflowId }, query: page }));
  return new Set(handlers.filter(retriesNodeFailure).map(({ id }) => id));
}

function retriesNodeFailure({ rules }: FailureHandler): boolean {
  try {
    return readCauses(rules)?.retriesNodeFailure === true;
  } catch {
    // What cannot be read retries nothing, as in a runner.
    return false;
  }
}

/** Stores the ends of jobs that are proven, and fails the others. */
async function settleNode(tools: Tools, { dead, ledger, jobs, settled, retrying }: OfNode): Promise<void> {
  const { facts } = tools;
  const reported = new Map((ledger?.completed ?? []).map((each) => [`${each.job_id} ${each.attempt_id}`, each]));
  // The runner had decided to retry them: the report of its end does that.
  const retried = new Set((ledger?.retried ?? []).map((each) => `${each.job_id} ${each.attempt_id}`));
  const ends: JobCompletion[] = [];
  for (const id of dead.jobIds) {
    const job = jobs.get(id) as Job;
    const key = `${id} ${job.attempt_id ?? 1}`;
    if (retried.has(key)) continue;
    const known = reported.get(key);
    const left = facts.left.get(dead.slurmJobId ?? 0);
    const end = left && leftEndOf(left, stepNameOf(tools, job), facts.account, tools.codes);
    if (known !== undefined) {
      const { files, ...result } = known;
      ends.push(completionOf(tools, job, dead.nodeId, { ...result, files: files ?? undefined }));
      settled.kept += 1;
    } else if (end !== undefined) {
      ends.push(
        completionOf(tools, job, dead.nodeId, {
          status: end.status,
          return_code: end.returnCode,
          exec_time_minutes: end.seconds / 60,
          completion_time: new Date(end.endedAtMs ?? tools.nowMs()).toISOString(),
          peak_memory_bytes: end.maxRssBytes,
          cause_code: end.cause,
        }),
      );
      settled.kept += 1;
    } else if (dead.isNodeLost && retrying.has(job.failure_handler_id ?? 0)) {
      // The report of the lost runner gives it a new attempt, which counts for no failure handler.
      settled.retried += 1;
    } else {
      ends.push(lostOf(tools, job, dead.nodeId, dead));
      settled.failed.push(orphaned(job, dead, dead.slurmJobId));
    }
  }
  await send(tools, ends, settled);
}

type Why = Pick<DeadNode, 'cause' | 'causeCode'>;
const ABANDONED: Why = { cause: NO_ACTIVE_NODES, causeCode: 'lost' };

const stepNameOf = ({ workflowId, runId }: Tools, { id, attempt_id: attempt }: Job): StepId =>
  stepIdOf({ workflowId, runId }, { id: id, attempt_id: attempt ?? 1 });

const orphaned = ({ id, name }: Job, { cause, causeCode }: Why, slurmJobId?: number): OrphanedJob => ({
  job_id: id,
  job_name: name,
  reason: cause,
  cause_code: causeCode,
  ...(slurmJobId === undefined ? {} : { slurm_job_id: String(slurmJobId) }),
});

const lostOf = (tools: Tools, job: Job, nodeId: number, { cause, causeCode }: Why): JobCompletion =>
  completionOf(tools, job, nodeId, {
    status: 'failed',
    return_code: LOST_CODE,
    exec_time_minutes: 0,
    completion_time: new Date(tools.nowMs()).toISOString(),
    cause,
    cause_code: causeCode,
  });

type End = Pick<JobCompletion['result'], 'status' | 'return_code' | 'exec_time_minutes' | 'completion_time'> &
  Partial<JobCompletion['result']> &
  Pick<JobCompletion, 'files'>;

function completionOf(
  { workflowId, runId }: Tools,
  { id, attempt_id: attempt }: Job,
  nodeId: number,
  { files, ...end }: End,
): JobCompletion {
  const jobId = id;
  return {
    job_id: jobId,
    status: end.status,
    run_id: runId,
    result: {
      ...end,
      job_id: jobId,
      workflow_id: workflowId,
      run_id: runId,
      attempt_id: attempt ?? 1,
      compute_node_id: nodeId,
    },
    ...(files === undefined ? {} : { files }),
  };
}

/** A job that ended meanwhile is refused, and that is right. */
async function send({ client, workflowId, isDryRun }: Tools, ends: readonly JobCompletion[], settled: Settled) {
  if (isDryRun) return;
  for (let at = 0; at < ends.length; at += BATCH) {
    const completions = ends.slice(at, at + BATCH);
    const { errors } = await client.batchCompleteJobs({ params: { id: workflowId }, body: { completions } });
    const refused = new Set(errors.map(({ job_id: id }) => id));
    for (const { job_id: id, result } of completions) {
      if (!refused.has(id)) continue;
      if (result.return_code !== LOST_CODE) settled.kept -= 1;
      else
        settled.failed.splice(
          settled.failed.findIndex((each) => each.job_id === id),
          1,
        );
    }
  }
}

/** Running jobs in a workflow without an active runner: nothing will ever report their ends. */
async function settleAbandoned(
  tools: Tools,
  { abandoned }: Orphans,
  jobs: ReadonlyMap<number, Job>,
  settled: Settled,
): Promise<void> {
  const { client, workflowId, isDryRun } = tools;
  for (const id of abandoned) settled.failed.push(orphaned(jobs.get(id) as Job, ABANDONED));
  if (isDryRun || abandoned.length === 0) return;
  const [first] = (await client.listComputeNodes({ query: { workflow_id: workflowId, limit: 1 } })).items;
  const nodeId = (first ?? (await standInNode(tools))).id;
  const ends = abandoned.map((id) => {
    const job = jobs.get(id) as Job;
    return lostOf(tools, job, job.compute_node_id || nodeId, ABANDONED);
  });
  await send(tools, ends, settled);
}

const standInNode = ({ client, workflowId, nowMs }: Tools) =>
  client.createComputeNode({
    body: {
      workflow_id: workflowId,
      hostname: FAILED_NODE,
      pid: 0,
      start_time: new Date(nowMs()).toISOString(),
      num_cpus: 1,
      memory_gb: 1,
      num_gpus: 0,
      num_nodes: 1,
      compute_node_type: 'local',
      is_active: false,
    },
  });
