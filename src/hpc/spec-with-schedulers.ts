import type { SlurmScheduler } from '../core/contract/scheduling.ts';
import { patternText } from '../core/text/pattern-text.ts';
import { isList, isMap, type Value, type ValueMap } from '../core/workflow-file/text/value.ts';
import { SCHEDULER_LISTS, schedulersOf, schedulerTypeOf } from '../core/workflow-file/write/allocations.ts';
import type { PlannedScheduler } from './plan-schedulers.ts';

/** A planned scheduler as a record, in the words of the batch system of the site. */
export type RequestOf = (planned: PlannedScheduler) => Omit<SlurmScheduler, 'id' | 'workflow_id'>;

/** The schedulers of a plan as entries of a workflow file. */
const schedulerEntries = (schedulers: readonly PlannedScheduler[], requestOf: RequestOf): ValueMap =>
  Object.fromEntries(
    Object.entries(
      schedulersOf({
        schedulers: schedulers.map((each) => {
          const { name, account, partition, qos, gres, mem, nodes, walltime, extra, pbs } = requestOf(each);
          return {
            id: 0,
            workflow_id: 0,
            name,
            account,
            partition,
            qos,
            gres,
            mem,
            nodes,
            walltime,
            extra,
            ...(pbs ? { pbs } : {}),
          };
        }),
      }),
    ).filter(([, list]) => list !== undefined),
  ) as ValueMap;

/** The actions that submit their allocations when the first jobs of each are ready. */
export const actionEntries = (
  schedulers: readonly PlannedScheduler[],
  requestOf: RequestOf,
  perNode: boolean,
): ValueMap[] =>
  schedulers.map((each) => ({
    trigger_type: 'on_jobs_ready',
    action_type: 'schedule_nodes',
    jobs: [...each.gate],
    scheduler: each.name,
    scheduler_type: schedulerTypeOf(requestOf(each)),
    num_allocations: each.allocations,
    ...(perNode && each.nodes > 1 && each.group.nodes === 1 ? { start_one_worker_per_node: true } : {}),
  }));

interface Additions {
  readonly schedulers: readonly PlannedScheduler[];
  readonly requestOf: RequestOf;
  readonly withActions: boolean;
  /** The mode of the workflow starts jobs on the node of the runner only. */
  readonly isDirect: boolean;
}

const LISTS = Object.values(SCHEDULER_LISTS);

/**
 * A workflow file with these schedulers, their actions, and each job bound to its scheduler. Nothing is expanded: a
 * template gets the scheduler of its instances. Schedulers and actions schedule_nodes that were there are replaced.
 */
export function specWithSchedulers(
  spec: ValueMap,
  { schedulers, requestOf, withActions, isDirect }: Additions,
): ValueMap {
  const schedulerOf = schedulersByName(schedulers);
  const jobs = isList(spec['jobs']) ? spec['jobs'] : [];
  const kept = (isList(spec['actions']) ? spec['actions'] : []).filter(
    (action) => !isMap(action) || action['action_type'] !== 'schedule_nodes',
  );
  const actions = [...kept, ...(withActions ? actionEntries(schedulers, requestOf, isDirect) : [])];
  const rest = Object.fromEntries(
    Object.entries(spec).filter(([key]) => key !== 'actions' && !LISTS.some((list) => list === key)),
  );
  return {
    ...rest,
    jobs: jobs.map((job) => {
      const scheduler = isMap(job) ? schedulerOf(job) : undefined;
      return scheduler === undefined ? job : { ...(job as ValueMap), scheduler };
    }),
    ...schedulerEntries(schedulers, requestOf),
    ...(actions.length === 0 ? {} : { actions }),
  };
}

/** The scheduler of a job of the file: that of the first planned job whose name and requirements fit its own. */
function schedulersByName(schedulers: readonly PlannedScheduler[]): (job: ValueMap) => string | undefined {
  const exact = new Map<string, string>();
  for (const { name, group } of schedulers) for (const job of group.jobs) exact.set(job.name, name);
  const planned = [...exact.keys()];
  return (job) => {
    const name = typeof job['name'] === 'string' ? job['name'] : '';
    if (!name.includes('{')) return exact.get(name);
    const parts = name.split(/\{[^{}]*\}/).map((part) => patternText(part));
    const pattern = new RegExp(`^${parts.join('.+')}$`);
    const first = planned.find((each) => pattern.test(each));
    return first === undefined ? undefined : exact.get(first);
  };
}

/** What a file already has of these; undefined if nothing. */
export function schedulersPresent(spec: ValueMap): string | undefined {
  const has = (key: string) => isList(spec[key]) && (spec[key] as readonly Value[]).length > 0;
  const found = [...LISTS, 'actions'].filter(has);
  return found.length === 0 ? undefined : found.join(' and ');
}
