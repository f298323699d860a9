import { type Amounts, heldLicenses } from '../../../core/job/amounts.ts';
import {
  heldAmounts,
  type FullLimit,
  type HeldAmounts,
  type JobLimit,
  limitRoom,
  type LimitRoom,
} from '../../../core/lifecycle/placement/limits.ts';
import type { Want } from '../../../core/contract/exchange.ts';
import type { LimitScope } from '../../../core/contract/waiting-limit.ts';
import type { WorkflowLimits } from '../../../core/contract/workflow-limits.ts';
import type { ChangeLog } from '../../store/changes.ts';
import type { Database } from '../../store/database.ts';
import type { Turns } from '../../store/turn.ts';
import { parsedJson } from '../present.ts';
import { type HeldRow, limitQueries } from './queries.ts';

/** The limits of a server: what all jobs may hold at a time, and those of each user. */
export interface ServerLimits {
  readonly all: Amounts;
  readonly eachUser: Amounts;
}

/** Who claims: jobs on a runner that is not known count as their own nodes. */
export interface LimitAsker {
  readonly workflowId: number;
  readonly nodeId: number | null;
}

interface LimitParts {
  readonly db: Database;
  readonly changes: ChangeLog;
  readonly turns: Turns;
}

/** A job that holds some of a limit. */
export interface LimitHolder {
  readonly id: number;
  readonly name: string;
  readonly workflowId: number;
  readonly amount: number;
}

/**
 * Limits on what jobs hold at a time, over all workflows and runners of the server.
 *
 * What is held is counted from the jobs in the transaction of the claim, never kept: so nothing can leak, whatever happens to a runner. A
 * workflow without limits, on a server without them, costs a look at its row.
 *
 * A workflow whose claim found a limit full waits for it. After each commit those limits are looked at, and the runners of a workflow for which
 * there is room again learn it from the event stream, as of jobs that became ready.
 */
export const createLimitCounts = ({ db, changes, turns }: LimitParts, { all, eachUser }: ServerLimits) => {
  const queries = limitQueries(db);
  const ofServer: readonly JobLimit[] = [...listed('user', eachUser), ...listed('server', all)];
  /** The limits that the last claim of each runner found full, with the least that it needs of each. */
  const waiting = new Map<string, { readonly asker: LimitAsker; readonly full: Map<string, FullLimit> }>();
  const keyOf = ({ workflowId, nodeId }: LimitAsker) => `${workflowId} ${nodeId}`;
  let isDue = false;

  const limitsOfWorkflow = (workflowId: number): readonly JobLimit[] => {
    const own = queries.workflow.get({ workflowId })?.limits ?? null;
    return own === null ? ofServer : [...listed('workflow', parsedJson(own) as Amounts), ...ofServer];
  };

  const userOf = (workflowId: number) => queries.workflow.get({ workflowId })?.user ?? '';
  const rowsOf = (scope: LimitScope, { workflowId, nodeId }: LimitAsker): HeldRow[] => {
    if (scope === 'workflow') return queries.workflowHolds.all({ workflowId });
    if (scope === 'allocation') {
      const nodes = new Set(nodeId === null ? [] : queries.sameAllocation.all({ nodeId }).map(({ id }) => id));
      return queries.workflowHolds.all({ workflowId }).filter(({ node_id: id }) => id !== null && nodes.has(id));
    }
    return scope === 'user' ? queries.userHolds.all({ user: userOf(workflowId) }) : queries.serverHolds.all({});
  };

  const held = (scope: LimitScope, asker: LimitAsker): HeldAmounts => {
    const { nodeId } = asker;
    const amounts = new Map<string, number>();
    const runners = new Set<number>();
    let nodes = 0;
    for (const { class_id: classId, node_id: runner, jobs } of rowsOf(scope, asker)) {
      const { need, amounts: each } = classNeed(classId);
      for (const [name, amount] of Object.entries(each)) amounts.set(name, (amounts.get(name) ?? 0) + amount * jobs);
      if (runner === null) nodes += need.num_nodes * jobs;
      else runners.add(runner);
    }
    if (runners.size > 0) nodes += queries.nodes.get({ ids: JSON.stringify([...runners]) })?.nodes ?? 0;
    return { amounts, nodes, hasAsker: nodeId !== null && runners.has(nodeId) };
  };

  const classNeed = (classId: number) => {
    const { licenses, needs_licenses: ofNeeds, ...row } = queries.need.get({ classId }) ?? NOTHING;
    const need = {
      ...row,
      licenses: heldLicenses(parsedJson(licenses) as Amounts | undefined, parsedJson(ofNeeds) as Amounts | undefined),
    };
    return { need, amounts: heldAmounts(need) };
  };

  const hasRoom = (asker: LimitAsker, { limit, needs }: FullLimit): boolean => {
    const present = limit.scope === 'allocation' ? [limit] : limitsOfWorkflow(asker.workflowId);
    const now = present.find(({ scope, name }) => scope === limit.scope && name === limit.name);
    if (now === undefined) return true;
    const { amounts, nodes } = held(limit.scope, asker);
    return (limit.name === 'nodes' ? nodes : (amounts.get(limit.name) ?? 0)) + needs <= now.most;
  };

  const wake = (): void => {
    isDue = false;
    if (!db.isOpen) return;
    const free = [...waiting].filter(([, { asker, full }]) => [...full.values()].some((each) => hasRoom(asker, each)));
    if (free.length === 0) return;
    for (const [key] of free) waiting.delete(key);
    const workflows = new Set(free.map(([, { asker }]) => asker.workflowId));
    void turns
      .write(() => {
        for (const workflowId of workflows) changes.record(workflowId, 'jobs_ready', [{ jobs: 0 }]);
      })
      // The server ends where a commit fails.
      .catch(() => {});
  };

  /** The limits that are full for jobs of a class; what is held is read once for all of them. */
  const fullFor = (workflowId: number): ((classId: number) => FullLimit[]) => {
    const limits = limitsOfWorkflow(workflowId);
    const read = new Map<LimitScope, HeldAmounts>();
    const heldIn = (scope: LimitScope) => {
      const known = read.get(scope) ?? held(scope, { workflowId, nodeId: null });
      read.set(scope, known);
      return known;
    };
    return (classId) => {
      const { need } = classNeed(classId);
      return limits.flatMap((limit) => limitRoom([limit], heldIn, need.num_nodes).full(need) ?? []);
    };
  };

  changes.onPublish(() => {
    if (waiting.size === 0 || isDue) return;
    isDue = true;
    setImmediate(wake);
  });

  return {
    limitsOfWorkflow,

    /** The limits that bound a claim: those of the workflow, and what the allocation of the runner holds. */
    limitsOfClaim: (workflowId: number, { licenses }: Pick<Want, 'licenses'>): readonly JobLimit[] =>
      licenses ? [...limitsOfWorkflow(workflowId), ...listed('allocation', licenses)] : limitsOfWorkflow(workflowId),

    /** The room that these limits leave for jobs of the asker's workflow; undefined if there are no limits. */
    roomFor(asker: LimitAsker, limits: readonly JobLimit[], runnerNodes: number | undefined): LimitRoom | undefined {
      if (waiting.size > 0) waiting.delete(keyOf(asker));
      if (limits.length === 0) return undefined;
      return limitRoom(limits, (scope) => held(scope, asker), asker.nodeId === null ? undefined : runnerNodes);
    },

    /** All limits of a workflow, with what is held of each. */
    counted(workflowId: number): WorkflowLimits['limits'] {
      return limitsOfWorkflow(workflowId).map((limit) => {
        const { amounts, nodes } = held(limit.scope, { workflowId, nodeId: null });
        return { ...limit, held: limit.name === 'nodes' ? nodes : (amounts.get(limit.name) ?? 0) };
      });
    },

    /** The jobs of a workflow that wait and hold licenses, by class. */
    licensed: (workflowId: number): WorkflowLimits['licensed'] =>
      queries.licensedClasses.all({ workflowId }).flatMap(({ class_id: classId, scheduler_id, jobs }) => {
        const { need } = classNeed(classId);
        return jobs === 0 || Object.keys(need.licenses).length === 0 ? [] : [{ scheduler_id, jobs, need }];
      }),

    /** The limits that have no room for the job on a runner of one node, or can never have any. */
    fullForJob(workflowId: number, jobId: number): FullLimit[] {
      const classId = queries.classOfJob.get({ jobId })?.class_id ?? 0;
      return fullFor(workflowId)(classId).toSorted((one, other) => Number(isNever(other)) - Number(isNever(one)));
    },

    /** The same for all ready jobs of a workflow: each limit once, with the number of jobs. */
    fullForReady(workflowId: number): { readonly full: FullLimit; readonly jobs: number }[] {
      const found = new Map<string, { full: FullLimit; jobs: number }>();
      if (limitsOfWorkflow(workflowId).length === 0) return [];
      const full = fullFor(workflowId);
      for (const { class_id: classId, jobs } of queries.readyOfClasses.all({ workflowId }))
        for (const each of full(classId)) {
          const key = `${each.limit.scope} ${each.limit.name} ${isNever(each)}`;
          const before = found.get(key);
          const least = before === undefined || each.needs < before.full.needs ? each : before.full;
          found.set(key, { full: least, jobs: jobs + (before?.jobs ?? 0) });
        }
      return [...found.values()];
    },

    /** The claim of a runner found this limit full. */
    waitFor(asker: LimitAsker, found: FullLimit): void {
      if (isNever(found)) return;
      const { full } = waiting.get(keyOf(asker)) ?? { full: new Map<string, FullLimit>() };
      waiting.set(keyOf(asker), { asker, full });
      const key = `${found.limit.scope} ${found.limit.name}`;
      const before = full.get(key);
      if (before === undefined || before.needs > found.needs) full.set(key, found);
    },

    /** The limits that its last claim found full. */
    waitingOf: (asker: LimitAsker): FullLimit[] => [...(waiting.get(keyOf(asker))?.full.values() ?? [])],

    /** The jobs that hold some of a limit, in the order of their ids. */
    holders({ scope, name }: JobLimit, workflowId: number): LimitHolder[] {
      const rows =
        scope === 'workflow'
          ? queries.workflowHolders.all({ workflowId })
          : scope === 'user'
            ? queries.userHolders.all({ user: userOf(workflowId) })
            : queries.serverHolders.all({});
      const amounts = new Map<number, number>();
      const amountIn = (classId: number) => {
        const known = amounts.get(classId) ?? (name === 'nodes' ? 1 : (classNeed(classId).amounts[name] ?? 0));
        amounts.set(classId, known);
        return known;
      };
      return rows
        .map((row) => ({
          id: row.id,
          name: row.name,
          workflowId: row.workflow_id,
          amount: amountIn(row.class_id),
        }))
        .filter(({ amount }) => amount > 0);
    },
  };
};

export type LimitCounts = ReturnType<typeof createLimitCounts>;

const NOTHING = {
  num_cpus: 0,
  num_gpus: 0,
  num_nodes: 0,
  memory_bytes: 0,
  runtime_seconds: 0,
  licenses: null,
  needs_licenses: null,
};

const listed = (scope: LimitScope, limits: Amounts): JobLimit[] =>
  Object.entries(limits).map(([name, most]) => ({ scope, name, most }));

/** No end of another job makes room for it. */
const isNever = ({ needs, limit }: FullLimit): boolean => needs > limit.most;
