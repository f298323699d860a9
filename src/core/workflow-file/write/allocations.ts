import type { SlurmScheduler, WorkflowAction } from '../../contract/scheduling.ts';
import { chunksOf } from '../read/pbs-schedulers.ts';
import type { StoredPlan } from '../update/stored.ts';

type Fields = Record<string, unknown>;

const isOfPbs = ({ pbs }: Pick<SlurmScheduler, 'pbs'>): boolean => pbs !== undefined && pbs !== null;

/** The schedulers of a file: those for PBS are stored beside those for Slurm. */
export function schedulersOf({ schedulers }: Pick<StoredPlan, 'schedulers'>): Fields {
  const [slurm, pbs] = [schedulers.filter((each) => !isOfPbs(each)), schedulers.filter(isOfPbs)];
  return {
    slurm_schedulers: slurm.length === 0 ? undefined : slurm.map(({ pbs: _none, ...each }) => recordOf(each)),
    pbs_schedulers: pbs.length === 0 ? undefined : pbs.map(pbsEntry),
  };
}

/** The lists of schedulers in a file, by the word that its actions have for each. */
export const SCHEDULER_LISTS = { slurm: 'slurm_schedulers', pbs: 'pbs_schedulers' } as const;

/** That of a scheduler. */
export const schedulerTypeOf = (scheduler: Pick<SlurmScheduler, 'pbs'>): keyof typeof SCHEDULER_LISTS =>
  isOfPbs(scheduler) ? 'pbs' : 'slurm';

function pbsEntry({ pbs, name, account, partition, nodes, mem, ...record }: SlurmScheduler): Fields {
  const { select, ...request } = pbs ?? {};
  // Chunks say both.
  const size = select ? { select, ...(nodes === chunksOf(select) ? {} : { nodes }) } : { nodes, mem };
  return recordOf({ name, account: account || undefined, queue: partition, ...size, ...request, ...record });
}

/** Without its ids and the fields that have no value. */
const recordOf = ({ id: _id, workflow_id: _of, ...record }: Fields): Fields =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined));

/** The actions of a file: jobs and schedulers by name. */
export function actionsOf({ actions, jobs, schedulers }: StoredPlan): Fields[] {
  const names = new Map(jobs.map(({ id, name }) => [id, name]));
  return actions.map((action) => {
    const of = (action.job_ids ?? []).map((id) => names.get(id)).filter((name) => name !== undefined);
    return {
      trigger_type: action.trigger_type,
      action_type: action.action_type,
      ...(of.length === 0 ? {} : { jobs: of }),
      ...configOf(action, schedulers),
      ...(action.persistent === true ? { persistent: true } : {}),
    };
  });
}

function configOf({ action_config: config }: WorkflowAction, schedulers: readonly SlurmScheduler[]): Fields {
  const { scheduler_id: id, num_allocations: allocations, ...fields } = recordOf((config ?? {}) as Fields);
  const scheduler = schedulers.find((each) => each.id === id);
  return {
    ...fields,
    ...(allocations === undefined || allocations === 1 ? {} : { num_allocations: allocations }),
    ...(scheduler === undefined ? {} : { scheduler: scheduler.name }),
    ...(scheduler !== undefined && isOfPbs(scheduler) ? { scheduler_type: schedulerTypeOf(scheduler) } : {}),
  };
}
