import type { Need } from '../../contract/exchange.ts';
import type { LimitScope } from '../../contract/waiting-limit.ts';
import type { Amounts } from '../../job/amounts.ts';

/** How much of a name the jobs of a workflow, of a user or of a server may hold at a time. */
export interface JobLimit {
  readonly scope: LimitScope;
  readonly name: string;
  readonly most: number;
}

/** What jobs of one scope hold now. */
export interface HeldAmounts {
  readonly amounts: ReadonlyMap<string, number>;
  /** Nodes of the runners that hold a job of the scope, and whether the asking runner is one of them. */
  readonly nodes: number;
  readonly hasAsker: boolean;
}

/** What a job holds by name; nodes are counted by runner. */
export const heldAmounts = ({ num_cpus, num_gpus, num_nodes, licenses }: Need): Amounts => ({
  ...licenses,
  jobs: 1,
  cores: num_cpus * num_nodes,
  gpus: num_gpus * num_nodes,
});

/** What a job holds of a limit; a runner with one job has all of its nodes in use, so another job on it needs none. */
const amountOf = ({ name }: JobLimit, need: Need, nodes: number): number =>
  name === 'nodes' ? nodes : (heldAmounts(need)[name] ?? 0);

/** The limits that count a job like this, however much of them is free. */
export const limitsOn = (need: Need, limits: readonly JobLimit[]): readonly JobLimit[] =>
  limits.filter((limit) => amountOf(limit, need, need.num_nodes) > 0);

/** The limits that such a job exceeds by itself: it can never run. */
export const impossibleLimits = (need: Need, limits: readonly JobLimit[]): readonly JobLimit[] =>
  limits.filter((limit) => amountOf(limit, need, need.num_nodes) > limit.most);

/** A limit that leaves no room for a job now. */
export interface FullLimit {
  readonly limit: JobLimit;
  /** What the job would hold, and what others hold. */
  readonly needs: number;
  readonly held: number;
}

/** What is left of limits while jobs are chosen for one runner. */
export interface LimitRoom {
  /** Whether any limit counts such jobs. */
  counts(need: Need): boolean;
  /** The first limit that has no room for such a job. A job that had none has none later: room only shrinks. */
  full(need: Need): FullLimit | undefined;
  take(need: Need): void;
}

/**
 * The room that limits leave. `heldIn` is asked once for each scope, and only where a job is counted there. `runnerNodes` are the nodes of the runner that
 * asks; undefined where it is not known, and each job counts as its own nodes.
 */
export function limitRoom(
  limits: readonly JobLimit[],
  heldIn: (scope: LimitScope) => HeldAmounts,
  runnerNodes: number | undefined,
): LimitRoom {
  const held = new Map<LimitScope, HeldAmounts>();
  const taken = new Map<string, number>();
  let hasTaken = false;
  const ofScope = (scope: LimitScope) => {
    const known = held.get(scope) ?? heldIn(scope);
    held.set(scope, known);
    return known;
  };
  const nodesFor = ({ scope }: JobLimit, need: Need) => {
    if (runnerNodes === undefined) return need.num_nodes;
    return hasTaken || ofScope(scope).hasAsker ? 0 : Math.max(runnerNodes, need.num_nodes);
  };
  const needed = (limit: JobLimit, need: Need) =>
    amountOf(limit, need, limit.name === 'nodes' ? nodesFor(limit, need) : 0);

  return {
    counts: (need) => limitsOn(need, limits).length > 0,
    full(need) {
      for (const limit of limitsOn(need, limits)) {
        const { scope, name, most } = limit;
        const needs = needed(limit, need);
        if (needs === 0) continue;
        const { amounts, nodes } = ofScope(scope);
        const others = (name === 'nodes' ? nodes : (amounts.get(name) ?? 0)) + (taken.get(name) ?? 0);
        if (others + needs > most) return { limit, needs, held: others };
      }
      return undefined;
    },
    take(need) {
      const names = new Map(limitsOn(need, limits).map((limit) => [limit.name, needed(limit, need)]));
      for (const [name, amount] of names) taken.set(name, (taken.get(name) ?? 0) + amount);
      hasTaken = true;
    },
  };
}
