import { all } from '../../client/every.ts';
import type { BatchSystem } from '../../cluster/batch/batch-system.ts';
import { exitCodesOf } from '../../core/attempt/judge.ts';
import { jobOfAllocation, type SlurmJob } from '../../core/allocation/slurm-job.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import type { Completion } from '../../core/contract/exchange.ts';
import { partsOfStepId } from '../../core/contract/files/job.ts';
import { outputDirOfLedger, slurmTaskOf } from '../../core/contract/files/runner.ts';
import { slurmRunOf } from '../../core/allocation/run-fields.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import {
  allocationEndOf,
  type AllocationState,
  correctedStatus,
  earlierRunOf,
  type OwnAllocation,
} from '../../core/allocation/allocation-end.ts';
import { readLedger } from '../ledger/read-ledger.ts';
import { accountOfLeft, leftEndOf, type LeftSteps, leftStepsOf, removeMarks } from '../step/slurm/left-steps.ts';
import { levelOfFailedCheck, type LostOptions, provenBy } from './lost-runners.ts';

interface DeadAllocationsOptions extends Omit<LostOptions, 'batch'> {
  readonly batch: Pick<BatchSystem, 'statesOf' | 'account'>;
}

/**
 * Recovers the jobs of runners whose allocation Slurm has ended or requeued, on any host.
 *
 * The process table proves the end of runners on this host only. For others the proof is Slurm's word: a final state
 * from squeue or sacct, or a run of it that is later than the one in which the runner registered. A job that Slurm does not
 * know proves nothing. What the ledger says is kept if the file can be read here, and so are ends of steps that their marks and
 * the accounting prove; other jobs that had started run again as a new attempt. Returns the number of recovered runners.
 */
async function recoverDeadAllocations(options: DeadAllocationsOptions): Promise<number> {
  const { batch, log } = options;
  try {
    const own = options.allocation;
    const nodes = await nodesInSlurm(options);
    const ids = [...new Set(nodes.map(({ jobId }) => jobId))];
    const states = await batch.statesOf(ids);
    let found = 0;
    for (const { node, jobId } of nodes) {
      const runner = { jobId, ...slurmRunOf(node.scheduler) };
      const end = jobId === own?.jobId ? earlierRunOf(runner, own) : allocationEndOf(runner, states.get(jobId));
      if (end === undefined) continue;
      if (await recover(options, node, { jobId, reason: end.words })) found += 1;
    }
    await closeRecords(options, own, states);
    return found;
  } catch (error) {
    log.write(levelOfFailedCheck(error), 'Could not check for ended allocations', { reason: (error as Error).message });
    return 0;
  }
}

/** The same where this machine has a batch system. */
export const recoverInBatch = async ({ batch, ...options }: LostOptions): Promise<number> =>
  batch === undefined ? 0 : recoverDeadAllocations({ ...options, batch });

interface NodeInSlurm {
  readonly node: ComputeNode & { id: number };
  readonly jobId: number;
}

/** The runners in allocations that are active, or in whose name jobs are pending or running. */
async function nodesInSlurm({ client, workflowId }: DeadAllocationsOptions): Promise<NodeInSlurm[]> {
  const query = { workflow_id: workflowId, may_hold_jobs: true, in_slurm: true };
  const nodes = await all((page) => client.listComputeNodes({ query: { ...query, ...page } }));
  return nodes.flatMap((node) => {
    const jobId = Number(slurmTaskOf(node.scheduler)?.jobId);
    return !(jobId > 0) || typeof node.id !== 'number' ? [] : [{ node: { ...node, id: node.id }, jobId }];
  });
}

interface Over {
  readonly jobId: number;
  readonly reason: string;
}

/** False if the accounting has to be asked and does not answer: then nothing is changed, and it is tried again later. */
async function recover(
  { client, batch, workflowId, runId, log }: DeadAllocationsOptions,
  node: NodeInSlurm['node'],
  { jobId, reason }: Over,
): Promise<boolean> {
  const ledger = node.process?.ledger;
  const facts = ledger === undefined ? undefined : readLedger(ledger);
  // A node that crashed may have lost the last lines of its ledger, so a job that it lacks may have started.
  const proven = provenBy(facts, 'rebooted', { runId, nodeId: node.id });
  const left = leftStepsOf(new Set(ledger === undefined ? [] : [outputDirOfLedger(ledger)]), workflowId, jobId);
  const more = await endsOf(left, { records: batch, client, workflowId, runId, known: proven }).catch(
    (error: Error) => {
      const about = { compute_node_id: node.id, slurm_job_id: jobId, reason: error.message };
      log.write(
        'warn',
        'The accounting of Slurm cannot be asked about an ended allocation; its jobs stay as they are',
        about,
      );
      return undefined;
    },
  );
  if (more === undefined) return false;
  const completed = [...(proven.completed ?? []), ...more];
  const reply = await client.reportLostRunner({
    params: { id: workflowId, compute_node_id: node.id },
    body: { run_id: runId, ...proven, completed, reason },
  });
  removeMarks(left);
  log.write('warn', 'The allocation of a runner of this workflow has ended; its jobs were recovered', {
    compute_node_id: node.id,
    hostname: node.hostname,
    reason,
    finished: reply.completed.length,
    run_again: reply.requeued.length,
    not_started: reply.returned.length,
  });
  return true;
}

interface Known extends Pick<DeadAllocationsOptions, 'client' | 'workflowId' | 'runId'> {
  readonly records: Pick<BatchSystem, 'account'>;
  /** What the ledger says. */
  readonly known: ReturnType<typeof provenBy>;
}

/** The proven ends of steps that the ledger does not have. */
async function endsOf(left: LeftSteps, { records, client, workflowId, runId, known }: Known): Promise<Completion[]> {
  if (left.marks.size === 0) return [];
  const account = await accountOfLeft(records, [left], [left.slurmJobId]);
  const { execution_config: execution } = await client.getWorkflow({ params: { id: workflowId } });
  const reported = new Set(
    [...(known.completed ?? []), ...(known.retried ?? [])].map((each) => `${each.job_id} ${each.attempt_id}`),
  );
  return [...left.marks.keys()].flatMap((id): Completion[] => {
    const parts = partsOfStepId(id);
    if (parts?.runId !== runId || reported.has(`${parts.jobId} ${parts.attemptId}`)) return [];
    const end = leftEndOf(left, id, account, exitCodesOf(execution));
    if (end === undefined) return [];
    return [
      {
        job_id: parts.jobId,
        attempt_id: parts.attemptId,
        status: end.status,
        return_code: end.returnCode,
        exec_time_minutes: end.seconds / 60,
        completion_time: new Date(end.endedAtMs ?? Date.now()).toISOString(),
        peak_memory_bytes: end.maxRssBytes,
        cause_code: end.cause,
      },
    ];
  });
}

/** Records of allocations that Slurm has ended, and that no runner could complete. */
async function closeRecords(
  { client, workflowId, batch }: DeadAllocationsOptions,
  own: OwnAllocation | undefined,
  known: ReadonlyMap<SlurmJob, AllocationState>,
): Promise<void> {
  const query = { workflow_id: workflowId, is_open: true };
  const open = await all((page) => client.listScheduledComputeNodes({ query: { ...query, ...page } }));
  const records = open.filter(
    // Torc's own server lists those that are over, too.
    ({ scheduler_type: type, scheduler_id: id, status }) =>
      type === 'slurm' && id !== own?.jobId && ['active', 'pending'].includes(status),
  );
  const more = await batch.statesOf(records.map(jobOfAllocation).filter((job) => !known.has(job)));
  for (const record of records) {
    const job = jobOfAllocation(record);
    const status = correctedStatus(record.status, (known.get(job) ?? more.get(job))?.state);
    if (status !== undefined) await update(client, record, status);
  }
}

const update = (client: LostOptions['client'], record: ScheduledComputeNode, status: string) =>
  client.updateScheduledComputeNode({ params: { id: record.id }, body: { ...record, status } });
