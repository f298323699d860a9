import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import { enforcesMemory, limitsCpus } from '../observe/plan.ts';
import type { CpuPool } from '../step/direct/cpu-pool.ts';
import type { JobGroups } from '../step/direct/job-groups.ts';
import type { JobLimits } from '../facts/run-facts.ts';

export interface LimitOptions {
  readonly workflow: Pick<Workflow, 'resource_monitor_config' | 'execution_config'>;
  /** The memory that a job may use; undefined for one that asked for none. */
  readonly memoryLimitOf: (job: ClaimedJob) => number | undefined;
  /** The CPUs that a job may use; undefined for one that asked for none. */
  readonly cpuLimitOf: (job: Pick<ClaimedJob, 'need' | 'resource_requirements_id'>) => number | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly allocation: object | undefined;
  readonly nodes: readonly { readonly cpus: number | undefined }[];
  readonly run: Pick<CurrentRun, 'log'>;
}

/** What limits the jobs of a runner in direct mode. */
export interface Limited {
  readonly limitsOf: (job: ClaimedJob) => JobLimits;
  readonly groups: JobGroups | undefined;
  readonly cpus: CpuPool | undefined;
}

/** Limits memory and CPUs of jobs as their workflow asks and as this user may, and says in the log what limits them. */
export async function limitJobs(options: LimitOptions): Promise<Limited> {
  const { workflow, memoryLimitOf, cpuLimitOf, environment, run } = options;
  const { log } = run;
  const isMemoryLimited = enforcesMemory(workflow);
  const isCpuLimited = limitsCpus(workflow);
  const limitsOf = (job: ClaimedJob): JobLimits => ({
    memoryBytes: isMemoryLimited ? memoryLimitOf(job) : undefined,
    cpus: isCpuLimited ? cpuLimitOf(job) : undefined,
  });
  if (!isMemoryLimited && !isCpuLimited) return { limitsOf, groups: undefined, cpus: undefined };
  const { createJobGroups } = await import('../step/direct/job-groups.ts');
  const isOff = environment['TORC_CONTROL_GROUPS'] === 'off';
  const made = isOff ? 'TORC_CONTROL_GROUPS is off' : createJobGroups({ cpu: isCpuLimited });
  const groups = typeof made === 'string' ? undefined : made;
  if (isMemoryLimited)
    log.write(
      'info',
      'Memory limits are enforced',
      typeof made === 'string' ? { by: 'samples', reason: made } : { by: made.about },
    );
  const cpus = isCpuLimited ? await limitCpus(typeof made === 'string' ? made : made.cpu, options) : undefined;
  return { limitsOf, groups, cpus };
}

/**
 * Without control groups jobs are bound to CPUs of their own, but only where these belong to this runner alone, as in an
 * allocation: elsewhere two runners would choose the same ones, and the others would be idle.
 */
async function limitCpus(
  groups: JobGroups['cpu'],
  { cpuLimitOf, allocation, nodes, run: { log } }: LimitOptions,
): Promise<CpuPool | undefined> {
  if (typeof groups !== 'string') {
    log.write('info', 'CPU limits are enforced', { by: groups.about });
    return undefined;
  }
  const { allowedCpus, bindableCpus, createCpuPool } = await import('../step/direct/cpu-pool.ts');
  const own = allocation === undefined ? undefined : bindableCpus(allowedCpus(), nodes[0]?.cpus);
  if (own === undefined) {
    log.write('warn', 'CPU limits are not enforced', { reason: groups });
    return undefined;
  }
  log.write('info', 'CPU limits are enforced', { by: 'binding', reason: groups });
  return createCpuPool(own, (job) => cpuLimitOf(job) !== undefined);
}
