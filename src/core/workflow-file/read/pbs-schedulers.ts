import { chunksIn } from '../../allocation/chunks.ts';
import type { ActionSpec, PbsSchedulerSpec, SlurmSchedulerSpec, WorkflowSpec } from '../shape/workflow.ts';

/**
 * A workflow whose schedulers for PBS stand beside those for Slurm: Torc's records have one table of them, and one kind of allocations that a
 * batch system starts. What PBS alone has is in their field `pbs`, and the queue in `partition`.
 */
export function withPbsSchedulers(spec: WorkflowSpec): WorkflowSpec {
  const { pbs_schedulers: given = [], actions, ...rest } = spec;
  if (given.length === 0 && !(actions ?? []).some(({ scheduler_type: type }) => type === 'pbs')) return spec;
  return {
    ...rest,
    slurm_schedulers: [...(spec.slurm_schedulers ?? []), ...given.map(schedulerOf)],
    ...(actions === undefined ? {} : { actions: actions.map(ofBatch) }),
  };
}

const schedulerOf = ({
  account = '',
  queue,
  select,
  place,
  project,
  nodes = select === undefined ? 1 : chunksOf(select),
  ...rest
}: PbsSchedulerSpec): SlurmSchedulerSpec => ({
  ...rest,
  account,
  nodes,
  ...(queue === undefined ? {} : { partition: queue }),
  pbs: {
    ...(project === undefined ? {} : { project }),
    ...(select === undefined ? {} : { select }),
    ...(place === undefined ? {} : { place }),
  },
});

const ofBatch = (action: ActionSpec): ActionSpec =>
  action.scheduler_type === 'pbs' ? { ...action, scheduler_type: 'slurm' } : action;

/** So many nodes has a request at most. */
export const chunksOf = (select: string): number => chunksIn(select).reduce((sum, { count }) => sum + count, 0);
