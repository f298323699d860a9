import { all } from '../../client/every.ts';
import type { AccountedJob } from '../../cluster/slurm/accounted-jobs.ts';
import { hasSlurm, openSlurm, type Slurm } from '../../cluster/slurm/slurm.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import { readLedger } from '../report/ledger.ts';
import { slurmTaskOf } from '../../core/contract/files/runner.ts';
import { type LostOptions, provenBy } from './lost-runners.ts';

export interface DeadAllocationsOptions extends LostOptions {
  readonly slurm: Slurm;
  /** The allocation of this runner. */
  readonly own: OwnAllocation | undefined;
}

export interface OwnAllocation {
  readonly jobId: string;
  /** How often Slurm has requeued it. */
  readonly restarts: number;
  /** When this life of it began, in Unix milliseconds. */
  readonly startedAtMs: number | undefined;
}

/** The allocation of a process. Source: sbatch(1), OUTPUT ENVIRONMENT VARIABLES. */
export async function ownAllocationOf(
  environment: Readonly<Record<string, string | undefined>>,
  slurm: Pick<Slurm, 'startOf'>,
): Promise<OwnAllocation | undefined> {
  const jobId = environment['SLURM_JOB_ID'];
  if (jobId === undefined || jobId === '') return undefined;
  const restarts = Number(environment['SLURM_RESTART_COUNT'] ?? 0) || 0;
  if (restarts === 0) return { jobId, restarts, startedAtMs: undefined };
  return { jobId, restarts, startedAtMs: await slurm.startOf(Number(jobId)).catch(() => undefined) };
}

/**
 * Recovers the jobs of runners whose allocation Slurm has ended or requeued, on any host.
 *
 * The process table proves the end of runners on this host only. For others the proof is Slurm's word: a final state
 * from squeue or sacct, or a job that waits again although a runner of it has registered. A job that Slurm does not
 * know proves nothing. What the ledger says is kept if the file can be read here; jobs that had started run again as a
 * new attempt. Returns the number of recovered runners.
 */
export async function recoverDeadAllocations(options: DeadAllocationsOptions): Promise<number> {
  const { log } = options;
  try {
    const nodes = await nodesInSlurm(options);
    const ids = [...new Set(nodes.map(({ jobId }) => Number(jobId)))].filter((id) => id > 0);
    const states = await options.slurm.statesOf(ids);
    let found = 0;
    for (const { node, jobId } of nodes) {
      const reason = reasonGone(node, jobId, states.get(Number(jobId)), options.own);
      if (reason === undefined) continue;
      await recover(options, node, reason);
      found += 1;
    }
    await settleRecords(options, states);
    return found;
  } catch (error) {
    log.write('warn', 'Could not check for ended allocations', { reason: (error as Error).message });
    return 0;
  }
}

/** The same with the Slurm of this machine, if it has one. */
export async function recoverInSlurm(options: LostOptions): Promise<number> {
  if (!hasSlurm(process.env)) return 0;
  const slurm = openSlurm({ environment: process.env });
  return recoverDeadAllocations({ ...options, slurm, own: await ownAllocationOf(process.env, slurm) });
}

/** The clocks of a cluster may differ by this much. */
const CLOCKS_MS = 60_000;

interface NodeInSlurm {
  readonly node: ComputeNode & { id: number };
  readonly jobId: string;
}

/** The runners in allocations that are active, or in whose name jobs are pending or running. */
async function nodesInSlurm({ client, workflowId }: DeadAllocationsOptions): Promise<NodeInSlurm[]> {
  const query = { workflow_id: workflowId, may_hold_jobs: true, in_slurm: true };
  const nodes = await all((page) => client.listComputeNodes({ query: { ...query, ...page } }));
  return nodes.flatMap((node) => {
    const jobId = slurmTaskOf(node.scheduler)?.jobId;
    return jobId === undefined || typeof node.id !== 'number' ? [] : [{ node: { ...node, id: node.id }, jobId }];
  });
}

/** Why the runner of this record is gone; undefined if nothing proves it. */
export function reasonGone(
  { start_time: registered }: Pick<ComputeNode, 'start_time'>,
  jobId: string,
  known: (Pick<AccountedJob, 'word' | 'startedAtMs'> & { readonly state: string }) | undefined,
  own: OwnAllocation | undefined,
): string | undefined {
  if (jobId === own?.jobId) {
    const isEarlier = own.startedAtMs !== undefined && Date.parse(registered) < own.startedAtMs;
    return own.restarts > 0 && isEarlier ? `allocation ${jobId} was requeued` : undefined;
  }
  if (known?.state === 'ended') return `allocation ${jobId} ended ${known.word}`;
  // A run that began after this runner registered is another one: of the requeued allocation, or of a job with the same id.
  if (known?.state === 'running' && (known.startedAtMs ?? 0) > Date.parse(registered) + CLOCKS_MS)
    return `allocation ${jobId} has started again`;
  // It has run, or no runner of it could have registered.
  return known?.state === 'queued' ? `allocation ${jobId} was requeued` : undefined;
}

async function recover(
  { client, workflowId, runId, log }: DeadAllocationsOptions,
  node: NodeInSlurm['node'],
  reason: string,
): Promise<void> {
  const ledger = node.process?.ledger;
  const facts = ledger === undefined ? undefined : readLedger(ledger);
  const reply = await client.reportLostRunner({
    params: { id: workflowId, compute_node_id: node.id },
    body: {
      run_id: runId,
      // A node that crashed may have lost the last lines of its ledger, so a job that it lacks may have started.
      ...provenBy(facts, 'rebooted', { runId, nodeId: node.id }),
      reason,
    },
  });
  log.write('warn', 'The allocation of a runner of this workflow has ended; its jobs were recovered', {
    compute_node_id: node.id,
    hostname: node.hostname,
    reason,
    finished: reply.completed.length,
    run_again: reply.requeued.length,
    not_started: reply.returned.length,
  });
}

/** Records of allocations that Slurm has ended, and that no runner could complete. */
async function settleRecords(
  { client, workflowId, slurm, own }: DeadAllocationsOptions,
  known: ReadonlyMap<number, { readonly state: string }>,
): Promise<void> {
  const query = { workflow_id: workflowId, is_open: true };
  const open = await all((page) => client.listScheduledComputeNodes({ query: { ...query, ...page } }));
  const records = open.filter(
    // Torc's own server lists those that are over, too.
    ({ scheduler_type: type, scheduler_id: id, status }) =>
      type === 'slurm' && String(id) !== own?.jobId && ['active', 'pending'].includes(status),
  );
  const more = await slurm.statesOf(records.map(({ scheduler_id: id }) => id).filter((id) => !known.has(id)));
  for (const record of records) {
    const state = (known.get(record.scheduler_id) ?? more.get(record.scheduler_id))?.state;
    const status =
      state === 'ended' ? 'complete' : state === 'queued' && record.status === 'active' ? 'pending' : undefined;
    if (status !== undefined) await update(client, record, status);
  }
}

const update = (client: LostOptions['client'], record: ScheduledComputeNode, status: string) =>
  client.updateScheduledComputeNode({ params: { id: record.id as number }, body: { ...record, status } });
