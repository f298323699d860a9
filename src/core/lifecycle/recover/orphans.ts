import type { CauseCode } from '../../contract/cause-code.ts';
import type { SlurmJob } from '../../allocation/slurm-job.ts';
import {
  allocationEndOf,
  type AllocationRun,
  type AllocationState,
  correctedStatus,
} from '../../allocation/allocation-end.ts';

/**
 * Which records of a workflow are orphans: left behind by an allocation or a runner that has ended.
 *
 * Slurm's word decides for allocations: a job that the controller no longer knows, or that is in a final state, has
 * ended. A word that is not known leaves everything as it is.
 */

interface Allocation {
  readonly recordId: number;
  readonly slurmJobId: SlurmJob;
  readonly status: string;
}

interface Node {
  readonly id: number;
  /** Undefined outside Slurm. */
  readonly slurmJobId: number | undefined;
  /** The run of the allocation in which it registered; empty if its record does not say it. */
  readonly run: AllocationRun;
  readonly isActive: boolean;
  /** Not active, and attempts or pending jobs remain in its name. */
  readonly isHolder: boolean;
}

interface RunningJob {
  readonly id: number;
  /** The runner that holds it, if one does. */
  readonly nodeId: number | undefined;
}

export interface OrphanFacts {
  readonly allocations: readonly Allocation[];
  readonly nodes: readonly Node[];
  readonly running: readonly RunningJob[];
  /** What the controller said; undefined if it could not be asked. */
  readonly queue: ReadonlyMap<SlurmJob, AllocationState> | undefined;
  /** The words of the accounting for jobs that the controller has forgotten. */
  readonly accounted: ReadonlyMap<SlurmJob, AllocationState>;
}

/** The jobs of one ended runner. */
export interface DeadNode {
  readonly nodeId: number;
  readonly isActive: boolean;
  readonly slurmJobId: number | undefined;
  readonly jobIds: readonly number[];
  /** `allocation 7 ended NODE_FAIL`. */
  readonly cause: string;
  readonly causeCode: CauseCode;
  /** Its node failed, or its allocation was preempted. */
  readonly isNodeLost: boolean;
}

export interface Orphans {
  /** Active allocations that have ended. */
  readonly ended: readonly Allocation[];
  /** Of these, those that a failure ended before their time limit: a lost node, a killed runner. */
  readonly lost: readonly Allocation[];
  /** Allocations that ended, or vanished, before they began. */
  readonly gone: readonly Allocation[];
  /** Active allocations that wait again, and those that a runner had completed before Slurm requeued them. */
  readonly requeued: readonly Allocation[];
  readonly deadNodes: readonly DeadNode[];
  /** Runners of allocations that wait again: their jobs get a new attempt. */
  readonly requeuedNodes: readonly DeadNode[];
  /** Running jobs in a workflow without an active runner. */
  readonly abandoned: readonly number[];
}

/** States of allocations whose jobs a failure handler may run again because of `on_node_fail`. */
const NODE_LOST: ReadonlySet<string> = new Set(['NODE_FAIL', 'BOOT_FAIL', 'PREEMPTED']);

/** Why jobs ended whose runner left no word of them, by the state of its allocation. Any other end may be that of the runner alone. */
const CAUSES_OF_ENDS: Readonly<Record<string, CauseCode>> = {
  PREEMPTED: 'allocation',
  CANCELLED: 'allocation',
  NODE_FAIL: 'node',
  BOOT_FAIL: 'node',
};

/** States of allocations that a user canceled, that completed, or that reached their time limit. */
const EXPECTED: ReadonlySet<string> = new Set(['CANCELLED', 'COMPLETED', 'TIMEOUT', 'DEADLINE']);

export const NO_ACTIVE_NODES = 'No active compute nodes';

export function orphansOf({ allocations, nodes, running, queue, accounted }: OrphanFacts): Orphans {
  const held = Map.groupBy(running, ({ nodeId }) => nodeId);
  const wordOf = (slurmJobId: SlurmJob) => accounted.get(slurmJobId)?.word ?? 'and the queue no longer knows it';
  const known = (slurmJobId: SlurmJob): AllocationState | undefined =>
    queue && (queue.get(slurmJobId) ?? { state: 'ended', word: wordOf(slurmJobId) });
  const deadNodes: DeadNode[] = [];
  const requeuedNodes: DeadNode[] = [];
  for (const { id, slurmJobId, run, isActive, isHolder } of nodes) {
    const jobIds = (held.get(id) ?? []).map((job) => job.id);
    if (slurmJobId === undefined || (!isActive && !isHolder && jobIds.length === 0)) continue;
    const state = known(slurmJobId);
    const end = allocationEndOf({ jobId: slurmJobId, ...run }, state);
    if (end === undefined) continue;
    const isNodeLost = !end.isRequeued && NODE_LOST.has(state?.word ?? '');
    const causeCode = CAUSES_OF_ENDS[state?.word.split(' ')[0] ?? ''] ?? 'lost';
    const node = { nodeId: id, isActive, slurmJobId, jobIds, isNodeLost, cause: end.words, causeCode };
    (end.isRequeued ? requeuedNodes : deadNodes).push(node);
  }
  const gone = new Set([...deadNodes, ...requeuedNodes].map(({ nodeId }) => nodeId));
  const isAnyAlive = nodes.some(({ id, isActive }) => isActive && !gone.has(id));
  const named = new Set([...deadNodes, ...requeuedNodes].flatMap(({ jobIds }) => jobIds));
  const becoming = (status: string) =>
    allocations.filter((each) => correctedStatus(each.status, known(each.slurmJobId)?.state) === status);
  const over = becoming('complete');
  const ended = over.filter(({ status }) => status === 'active');
  return {
    ended,
    lost: ended.filter(({ slurmJobId }) => !EXPECTED.has(known(slurmJobId)?.word.split(' ')[0] ?? '')),
    gone: over.filter(({ status }) => status === 'pending'),
    requeued: becoming('pending'),
    deadNodes,
    requeuedNodes,
    abandoned: isAnyAlive ? [] : running.filter(({ id }) => !named.has(id)).map(({ id }) => id),
  };
}
