import type { HpcProfile } from '../../hpc/profile.ts';
import type { PlannedScheduler } from '../../hpc/plan-schedulers.ts';

/** An allocation of a plan, in the words of sbatch, which plans of every batch system have. */
export type PlannedRequest = Pick<
  PlannedScheduler,
  'name' | 'account' | 'mem' | 'nodes' | 'walltime' | 'partition' | 'qos' | 'gres' | 'tmp' | 'extra' | 'pbs' | 'on'
>;

/** The same as a record of a scheduler has it, in the words of one batch system. */
export type SchedulerRequest = Pick<PlannedRequest, 'name' | 'account' | 'nodes' | 'walltime'> &
  Partial<Record<'mem' | 'partition' | 'qos' | 'gres' | 'tmp' | 'extra', string | undefined>> & {
    readonly pbs?: PlannedRequest['pbs'] | undefined;
  };

/** How allocations of a site are asked for. */
export interface SiteForms {
  readonly resources?: HpcProfile['resources'] | undefined;
  readonly options?: HpcProfile['options'] | undefined;
}

/** Further options, with those of the site unless they are there. */
export const withSiteOptions = (extra: string | undefined, options: string | undefined): string | undefined =>
  options === undefined || ` ${extra ?? ''} `.includes(` ${options} `)
    ? extra
    : [...(extra === undefined ? [] : [extra]), options].join(' ');
