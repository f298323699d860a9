import type { SlurmJob } from '../allocation/slurm-job.ts';
import { wasRequeuedSince } from './requeued.ts';

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
  readonly registeredAtMs: number;
  readonly isActive: boolean;
  /** Not active, and attempts or pending jobs remain in its name. */
  readonly isHolder: boolean;
}

interface RunningJob {
  readonly id: number;
  /** The runner that holds it, if one does. */
  readonly nodeId: number | undefined;
}

interface SlurmState {
  readonly state: 'queued' | 'running' | 'ended' | 'unknown';
  readonly word: string;
  readonly submittedAtMs?: number | undefined;
}

export interface OrphanFacts {
  readonly allocations: readonly Allocation[];
  readonly nodes: readonly Node[];
  readonly running: readonly RunningJob[];
  /** What the controller said; undefined if it could not be asked. */
  readonly queue: ReadonlyMap<SlurmJob, SlurmState> | undefined;
  /** The words of the accounting for jobs that the controller has forgotten. */
  readonly accounted: ReadonlyMap<SlurmJob, SlurmState>;
}

/** The jobs of one ended runner. */
export interface DeadNode {
  readonly nodeId: number;
  readonly isActive: boolean;
  readonly slurmJobId: number | undefined;
  readonly jobIds: readonly number[];
  /** `allocation 7 ended NODE_FAIL`. */
  readonly cause: string;
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

/** States of allocations that a user canceled, that completed, or that reached their time limit. */
const EXPECTED: ReadonlySet<string> = new Set(['CANCELLED', 'COMPLETED', 'TIMEOUT', 'DEADLINE']);

export const NO_ACTIVE_NODES = 'No active compute nodes';

export function orphansOf({ allocations, nodes, running, queue, accounted }: OrphanFacts): Orphans {
  const held = Map.groupBy(running, ({ nodeId }) => nodeId);
  const stateOf = (slurmJobId: SlurmJob): 'alive' | 'queued' | 'ended' => {
    if (queue === undefined) return 'alive';
    const state = queue.get(slurmJobId)?.state ?? 'ended';
    return state === 'ended' ? 'ended' : state === 'queued' ? 'queued' : 'alive';
  };
  const wordOf = (slurmJobId: SlurmJob) =>
    (queue?.get(slurmJobId) ?? accounted.get(slurmJobId))?.word ?? 'and Slurm no longer knows it';
  const deadNodes: DeadNode[] = [];
  const requeuedNodes: DeadNode[] = [];
  for (const { id, slurmJobId, registeredAtMs, isActive, isHolder } of nodes) {
    const jobIds = (held.get(id) ?? []).map((job) => job.id);
    if (slurmJobId === undefined || (!isActive && !isHolder && jobIds.length === 0)) continue;
    const state = stateOf(slurmJobId);
    const word = wordOf(slurmJobId);
    const node = { nodeId: id, isActive, slurmJobId, jobIds, isNodeLost: state === 'ended' && NODE_LOST.has(word) };
    if (state === 'ended') deadNodes.push({ ...node, cause: `allocation ${slurmJobId} ended ${word}` });
    // It has run, or no runner of it could have registered.
    else if (state === 'queued' && wasRequeuedSince(registeredAtMs, queue?.get(slurmJobId)?.submittedAtMs))
      requeuedNodes.push({ ...node, cause: `allocation ${slurmJobId} was requeued` });
  }
  const over = new Set([...deadNodes, ...requeuedNodes].map(({ nodeId }) => nodeId));
  const isAnyAlive = nodes.some(({ id, isActive }) => isActive && !over.has(id));
  const named = new Set([...deadNodes, ...requeuedNodes].flatMap(({ jobIds }) => jobIds));
  const ofStatus = (status: string, state: string) =>
    allocations.filter((each) => each.status === status && stateOf(each.slurmJobId) === state);
  const ended = ofStatus('active', 'ended');
  return {
    ended,
    lost: ended.filter(({ slurmJobId }) => !EXPECTED.has(wordOf(slurmJobId).split(' ')[0] as string)),
    gone: ofStatus('pending', 'ended'),
    requeued: [...ofStatus('active', 'queued'), ...ofStatus('complete', 'queued')],
    deadNodes,
    requeuedNodes,
    abandoned: isAnyAlive ? [] : running.filter(({ id }) => !named.has(id)).map(({ id }) => id),
  };
}
