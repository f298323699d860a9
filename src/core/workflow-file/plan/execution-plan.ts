import { Refusal } from '../../contract/refusals.ts';
import { walk } from '../graph/walk.ts';
import { itemsOf } from '../../lists/int-list.ts';
import type { Plan } from './plan.ts';
import type { ActionSpec } from '../shape/workflow.ts';

/** The source of a plan: a file, or the workflow created from it. */
export type PlanSource =
  | { readonly source: 'spec_file' }
  | { readonly source: 'database'; readonly workflow_id: number };

/** The reply of `workflows execution-plan`, with the keys of Torc. */
export type ExecutionPlan = PlanSource & {
  readonly status: 'success';
  readonly workflow_name: string;
  readonly total_events: number;
  readonly total_jobs: number;
  readonly root_events: readonly string[];
  readonly leaf_events: readonly string[];
  readonly events: readonly ExecutionEvent[];
};

/** The input of an execution plan: jobs by number, their dependencies, and the actions. */
export type Staged = Pick<Plan, 'graph' | 'jobName'> & {
  readonly workflow: { readonly name: string };
  readonly jobs: { readonly length: number };
  readonly actions: readonly StagedAction[];
};

interface StagedAction {
  readonly spec: Pick<ActionSpec, 'action_type' | 'trigger_type' | 'scheduler' | 'scheduler_type' | 'num_allocations'>;
  /** Numbers of the jobs that its trigger concerns. */
  readonly jobs: Iterable<number>;
}

export interface ExecutionEvent {
  readonly id: string;
  readonly trigger:
    | { readonly type: 'WorkflowStart' }
    | { readonly type: 'JobsComplete'; readonly data: { readonly jobs: readonly string[] } };
  readonly trigger_description: string;
  readonly scheduler_allocations: readonly SchedulerAllocation[];
  readonly jobs_becoming_ready: readonly string[];
  readonly depends_on_events: readonly string[];
  readonly unlocks_events: readonly string[];
}

interface SchedulerAllocation {
  readonly scheduler: string;
  readonly scheduler_type: string;
  readonly num_allocations: number;
  readonly job_names: readonly string[];
}

// The plan names every job at least once. Above this it has hundreds of megabytes, which no user reads.
const MOST_NAMES = 1_000_000;

/**
 * The events of a workflow, from its start to its last jobs: jobs that wait for the same jobs become ready together.
 *
 * Throws: `PLAN_TOO_LARGE` if the plan would name more than a million jobs.
 */
export function executionPlan(plan: Staged, source: PlanSource = { source: 'spec_file' }): ExecutionPlan {
  const drafts = draftEvents(plan);
  const readyIn = new Map<number, number>();
  for (const [number, { ready }] of drafts.entries()) for (const job of ready) readyIn.set(job, number);
  const ids = uniqueIds(drafts.map(({ waitsFor }) => idOf(waitsFor.map(plan.jobName))));
  const before = drafts.map(({ waitsFor }, number) => {
    const events = new Set(waitsFor.flatMap((job) => readyIn.get(job) ?? []));
    events.delete(number);
    return [...events];
  });
  const after: string[][] = drafts.map(() => []);
  for (const [number, events] of before.entries()) for (const event of events) after[event]?.push(ids[number] ?? '');
  const events = drafts.map(({ waitsFor, ready }, number): ExecutionEvent => {
    const names = waitsFor.map(plan.jobName);
    return {
      id: ids[number] ?? '',
      trigger: names.length === 0 ? { type: 'WorkflowStart' } : { type: 'JobsComplete', data: { jobs: names } },
      trigger_description: descriptionOf(names),
      scheduler_allocations: plan.actions.flatMap((action) => allocationAt(action, waitsFor, ready, plan)),
      jobs_becoming_ready: ready.map(plan.jobName),
      depends_on_events: (before[number] ?? []).map((event) => ids[event] ?? ''),
      unlocks_events: after[number] ?? [],
    };
  });
  return {
    status: 'success',
    ...source,
    workflow_name: plan.workflow.name,
    total_events: events.length,
    total_jobs: plan.jobs.length,
    root_events: events.filter(({ depends_on_events: needs }) => needs.length === 0).map(({ id }) => id),
    leaf_events: events.filter(({ unlocks_events: unlocks }) => unlocks.length === 0).map(({ id }) => id),
    events,
  };
}

interface DraftEvent {
  readonly waitsFor: readonly number[];
  readonly ready: number[];
}

/** The jobs grouped by their dependencies, in the order in which they can start; the start itself first. */
function draftEvents(plan: Staged): DraftEvent[] {
  const { length } = plan.jobs;
  let named = length;
  const refuseAbove = (): void => {
    if (named <= MOST_NAMES) return;
    const message = `The execution plan would name more than ${MOST_NAMES} jobs`;
    throw new Refusal('PLAN_TOO_LARGE', message, { jobs: length });
  };
  refuseAbove();
  const { levels } = walk(plan.graph);
  const order = Int32Array.from({ length }, (_, job) => job).sort(
    (a, b) => (levels[a] ?? 0) - (levels[b] ?? 0) || a - b,
  );
  const events = new Map<string, DraftEvent>([['', { waitsFor: [], ready: [] }]]);
  for (const { job, waitsFor } of merged(plan, order)) {
    const key = waitsFor.join(',');
    const event = events.get(key);
    if (event !== undefined) event.ready.push(job);
    else {
      named += waitsFor.length;
      refuseAbove();
      events.set(key, { waitsFor, ready: [job] });
    }
  }
  return [...events.values()];
}

/**
 * Each job with its dependencies, sorted. Jobs with one name are merged, as in Torc: they have the dependencies of all.
 */
function merged(plan: Staged, order: Int32Array): { job: number; waitsFor: number[] }[] {
  const firsts = new Map<string, number>();
  const first = Int32Array.from({ length: plan.jobs.length }, (_, job) => {
    const name = plan.jobName(job);
    const known = firsts.get(name) ?? job;
    firsts.set(name, known);
    return known;
  });
  const sorted = (jobs: Iterable<number>): number[] => [...jobs].sort((a, b) => a - b);
  if (firsts.size === plan.jobs.length) {
    return Array.from(order, (job) => ({ job, waitsFor: sorted(jobsBehind(plan, job)) }));
  }
  const found = new Map<number, Set<number>>();
  for (const job of order) {
    const all = found.get(first[job] ?? job) ?? new Set<number>();
    found.set(first[job] ?? job, all);
    for (const other of jobsBehind(plan, job)) all.add(first[other] ?? other);
  }
  return [...found].map(([job, waitsFor]) => ({ job, waitsFor: sorted(waitsFor) }));
}

/** The direct and indirect dependencies of one job. */
function jobsBehind({ graph }: Staged, job: number): Iterable<number> {
  const direct = itemsOf(graph.waitsFor, job);
  if (direct.length === 0) return direct;
  const jobs = new Set<number>();
  const seen = new Set<number>();
  const open = [...direct];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node < graph.jobs) {
      if (node !== job) jobs.add(node);
    } else if (!seen.has(node)) {
      seen.add(node);
      for (const each of itemsOf(graph.waitsFor, node)) open.push(each);
    }
  }
  return jobs;
}

function allocationAt(
  { spec, jobs }: StagedAction,
  waitsFor: readonly number[],
  ready: readonly number[],
  plan: Staged,
): SchedulerAllocation[] {
  if (spec.action_type !== 'schedule_nodes') return [];
  const concerned = new Set(jobs);
  const isStart = waitsFor.length === 0 && spec.trigger_type === 'on_workflow_start';
  const isReady = spec.trigger_type === 'on_jobs_ready' && ready.some((job) => concerned.has(job));
  const isComplete =
    spec.trigger_type === 'on_jobs_complete' &&
    concerned.size > 0 &&
    concerned.size === waitsFor.length &&
    waitsFor.every((job) => concerned.has(job));
  if (!isStart && !isReady && !isComplete) return [];
  return [
    {
      scheduler: spec.scheduler ?? '',
      scheduler_type: spec.scheduler_type ?? '',
      num_allocations: spec.num_allocations ?? 1,
      job_names: ready.filter((job) => !isReady || concerned.has(job)).map(plan.jobName),
    },
  ];
}

// A shorter common prefix of names does not describe the jobs.
const SHORTEST_PREFIX = 3;

function idOf(names: readonly string[]): string {
  const [first, ...rest] = names;
  if (first === undefined) return 'start';
  if (rest.length === 0) return `after_${first}`;
  const prefix = commonPrefix(names).replace(/[_\d]+$/, '');
  return prefix.length >= SHORTEST_PREFIX ? `after_${prefix}_jobs` : `after_${first}_and_${rest.length}_more`;
}

function commonPrefix(names: readonly string[]): string {
  let prefix = names[0] ?? '';
  for (const name of names) while (!name.startsWith(prefix)) prefix = prefix.slice(0, -1);
  return prefix;
}

/** Two groups may share a prefix; a number distinguishes their events. */
function uniqueIds(ids: readonly string[]): string[] {
  const used = new Map<string, number>();
  return ids.map((id) => {
    const count = (used.get(id) ?? 0) + 1;
    used.set(id, count);
    return count === 1 ? id : `${id}_${count}`;
  });
}

// Up to this many jobs are all named in a description.
const MOST_DESCRIBED = 3;

function descriptionOf(names: readonly string[]): string {
  const [first, second] = names;
  if (first === undefined) return 'Workflow Start';
  if (second === undefined) return `When job '${first}' completes`;
  if (names.length <= MOST_DESCRIBED) return `When jobs ${names.map((name) => `'${name}'`).join(', ')} complete`;
  return `When ${names.length} jobs complete ('${first}', '${second}'...)`;
}
