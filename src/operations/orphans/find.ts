import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import type { BatchRecords, BatchSystem, RecordedJobs } from '../../cluster/batch/batch-system.ts';
import type { AllocationState } from '../../core/allocation/allocation-end.ts';
import { batchWords } from '../../core/allocation/batch-words.ts';
import { jobOfAllocation, type SlurmJob, wholeJobs } from '../../core/allocation/slurm-job.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import { outputDirOfLedger, slurmTaskOf } from '../../core/contract/files/runner.ts';
import { slurmRunOf } from '../../core/allocation/run-fields.ts';
import type { Job } from '../../core/contract/job.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import { orphansOf, type Orphans } from '../../core/lifecycle/recover/orphans.ts';
import { type LedgerFacts, readLedger } from '../../runner/ledger/read-ledger.ts';
import { accountOfLeft, type LeftSteps, leftStepsOf } from '../../runner/step/slurm/left-steps.ts';

/** The records that a workflow has of allocations and runners, and its running jobs. */
export interface Records {
  readonly allocations: readonly (ScheduledComputeNode & { id: number })[];
  readonly nodes: readonly (ComputeNode & { id: number })[];
  readonly running: readonly Job[];
}

/** The runners and allocations that have not ended as far as the server knows, and the jobs that run. */
export async function gatherRecords(client: Client, workflowId: number): Promise<Records> {
  const query = { workflow_id: workflowId };
  const rows = await all((page) => client.listScheduledComputeNodes({ query: { ...query, ...page } }));
  const active = await all((page) => client.listComputeNodes({ query: { ...query, is_active: true, ...page } }));
  const holders = await all((page) =>
    client.listComputeNodes({ query: { ...query, is_active: false, holds_jobs: true, ...page } }),
  );
  const running = await all((page) => client.listJobs({ query: { ...query, status: 'running', ...page } }));
  const isOpen = ({ scheduler_type: type, status }: ScheduledComputeNode) =>
    // A runner completes the record of its allocation also when Slurm then requeues it.
    type === 'slurm' && (status === 'active' || status === 'pending' || status === 'complete');
  return {
    allocations: rows.filter(isOpen) as Records['allocations'],
    // A server that does not know the filter lists inactive runners that hold nothing.
    nodes: [...active, ...holders] as Records['nodes'],
    running,
  };
}

/** What the batch system says of the allocations of a workflow; `queue` is undefined if the controller could not be asked. */
export interface SlurmFacts {
  readonly queue: ReadonlyMap<SlurmJob, AllocationState> | undefined;
  /** Undefined if there is no accounting. */
  readonly account: RecordedJobs | undefined;
  /** What the steps of ended allocations left, by allocation. */
  readonly left: ReadonlyMap<number, LeftSteps>;
  /** Why the controller or the accounting could not be asked. */
  readonly faults: readonly string[];
  /** The programs that were asked. */
  readonly replies: readonly BatchReply[];
}

/** Whether a program of the batch system answered. */
export interface BatchReply {
  readonly asked: 'queue' | 'accounting';
  readonly program: string;
  /** Why it did not. */
  readonly fault?: string;
}

/** Whether there is an accounting that did not answer: the work of ended steps may be on record there. */
export const isAccountAway = ({ replies }: SlurmFacts): boolean =>
  replies.some(({ asked, fault }) => asked === 'accounting' && fault !== undefined);

/** The records of a batch system, with its name. */
export type OwnRecords = BatchRecords & Partial<Pick<BatchSystem, 'name'>>;

/** Where the marks of steps may be. */
export interface Whereabouts {
  readonly workflowId: number;
  readonly outputDir: string;
}

/** Asks the controller once for all allocations, and the accounting for those that have ended. */
export async function askSlurmFacts(
  { allocations, nodes }: Records,
  slurm: OwnRecords | undefined,
  { workflowId, outputDir }: Whereabouts,
): Promise<SlurmFacts> {
  const ids = [
    ...new Set<SlurmJob>([...allocations.map(jobOfAllocation), ...nodes.flatMap((node) => slurmJobOf(node) ?? [])]),
  ].filter((id) => id !== 0);
  const nothing = { queue: undefined, account: undefined, left: new Map(), faults: [], replies: [] };
  if (ids.length === 0) return { ...nothing, queue: new Map() };
  if (slurm === undefined)
    return { ...nothing, faults: ['there is no batch system on this machine: allocations are left as they are'] };
  const { list, account: accounting } = batchWords(slurm.name);
  let queue: ReadonlyMap<SlurmJob, AllocationState>;
  try {
    queue = await slurm.queue(ids);
  } catch (error) {
    const fault = `${list} cannot be asked, so allocations are left as they are: ${wordsOf(error)}`;
    return { ...nothing, faults: [fault], replies: [{ asked: 'queue', program: list, fault }] };
  }
  const asked: BatchReply = { asked: 'queue', program: list };
  const settled = new Set(allocations.flatMap((each) => (each.status === 'complete' ? [jobOfAllocation(each)] : [])));
  for (const node of nodes) settled.delete(slurmJobOf(node) ?? 0);
  const ended = ids.filter((id) => !settled.has(id) && (queue.get(id)?.state ?? 'ended') === 'ended');
  if (ended.length === 0) return { ...nothing, queue, replies: [asked] };
  // Only runners leave marks, and they know their allocation by its number.
  const left = new Map(
    ended
      .filter((id) => typeof id === 'number')
      .map((id) => [id, leftStepsOf(outputDirsOf(nodes, id, outputDir), workflowId, id)] as const),
  );
  let account: RecordedJobs | undefined;
  let fault: string | undefined;
  try {
    account = await accountOfLeft(slurm, [...left.values()], ended);
  } catch (error) {
    fault = `${accounting} cannot be asked: ${wordsOf(error)}`;
  }
  // A waiting task that was canceled leaves the queue without a trace, while the controller knows the others of its array.
  const arrays = new Set(wholeJobs([...queue.keys()]));
  const isForgotten = (id: SlurmJob) =>
    !queue.has(id) && (typeof id === 'number' || wholeJobs([id]).every((array) => !arrays.has(array)));
  const forgotten = ended.filter((id) => isForgotten(id) && account?.jobs.get(id)?.state !== 'ended');
  const known = forgotten.length > 0 && (await isYoung(slurm)) ? withRunning(queue, forgotten) : queue;
  const second = { asked: 'accounting', program: accounting } as const;
  return fault === undefined
    ? { ...nothing, queue: known, left, account, replies: [asked, second] }
    : { ...nothing, queue: known, faults: [fault], replies: [asked, { ...second, fault }] };
}

/**
 * A controller that was killed may have forgotten jobs that run. It ends them when their nodes register, within seconds; until
 * then nothing proves that they have ended.
 */
const YOUNG_SECONDS = 120;

async function isYoung(slurm: BatchRecords): Promise<boolean> {
  const ageSeconds = await slurm.queueAgeSeconds();
  return ageSeconds !== undefined && ageSeconds < YOUNG_SECONDS;
}

const withRunning = (queue: ReadonlyMap<SlurmJob, AllocationState>, jobs: readonly SlurmJob[]) =>
  new Map<SlurmJob, AllocationState>([
    ...queue,
    ...jobs.map((job): [SlurmJob, AllocationState] => [job, { state: 'running', word: 'RUNNING' }]),
  ]);

/** The output directories of the runners of an allocation, and the one that is known here. */
const outputDirsOf = (nodes: Records['nodes'], slurmJobId: number, outputDir: string): ReadonlySet<string> =>
  new Set([
    resolve(outputDir),
    ...nodes.flatMap((node) =>
      slurmJobOf(node) === slurmJobId && node.process ? [outputDirOfLedger(node.process.ledger)] : [],
    ),
  ]);

const wordsOf = (error: unknown): string => (error as Error).message.split('\n')[0] as string;

/** The allocation of a runner. */
export function slurmJobOf({ scheduler }: Pick<ComputeNode, 'scheduler'>): number | undefined {
  const id = Number(slurmTaskOf(scheduler)?.jobId ?? Number.NaN);
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

export function decideOrphans({ allocations, nodes, running }: Records, { queue, account }: SlurmFacts): Orphans {
  return orphansOf({
    allocations: allocations.map((each) => ({
      recordId: each.id,
      slurmJobId: jobOfAllocation(each),
      status: each.status,
    })),
    nodes: nodes.map((node) => ({
      id: node.id,
      slurmJobId: slurmJobOf(node),
      run: slurmRunOf(node.scheduler),
      isActive: node.is_active === true,
      isHolder: node.is_active !== true && Boolean(node.process),
    })),
    running: running.map(({ id, compute_node_id: nodeId }) => ({ id: id, nodeId: nodeId ?? undefined })),
    queue,
    accounted: account?.jobs ?? new Map(),
  });
}

/** The ledger of a runner, if this machine can read it and it is that of this runner and run. */
export function ledgerOf(node: ComputeNode & { id: number }, runId: number): LedgerFacts | undefined {
  const path = node.process?.ledger;
  if (path === undefined || !existsSync(path)) return undefined;
  const facts = readLedger(path);
  return facts?.run_id === runId && facts.compute_node_id === node.id ? facts : undefined;
}
