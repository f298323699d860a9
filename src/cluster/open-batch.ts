import { BATCH_VARIABLE } from '../core/allocation/batch-variable.ts';
import { Refusal } from '../core/contract/refusals.ts';
import type { HpcProfile } from '../hpc/profile.ts';
import { type PlannedRequest, type SchedulerRequest, withSiteOptions } from './batch/scheduler-request.ts';
import type { BatchOptions, BatchSystem, KnownBatch } from './batch/batch-system.ts';
import { pbs } from './pbs/pbs.ts';
import { slurm } from './slurm/slurm.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The batch systems that Torc knows. Where none is here, the first says what is missing. */
export const batchSystems: [KnownBatch, ...KnownBatch[]] = [slurm, pbs];

/**
 * The batch system of a process with these variables: the one door to all that submits, asks about and ends allocations.
 *
 * That of the allocation around it, or else the one that was chosen, or else the one that is installed. Throws `BATCH_SYSTEM_UNCLEAR` where
 * several are installed and none is chosen.
 */
export function openBatch(environment: Environment, options: BatchOptions = {}): BatchSystem {
  const [found = batchSystems[0], ...others] = systemsOf(environment);
  if (others.length > 0) throw unclear([found, ...others]);
  return found.open(environment, options);
}

/** The same for what goes on without one: undefined where several are installed and none is chosen. */
export const openBatchIfClear = (environment: Environment): BatchSystem | undefined =>
  systemsOf(environment).length > 1 ? undefined : openBatch(environment);

/** Whether allocations can be submitted here. */
export const hasBatch = (environment: Environment): boolean => {
  const [found, ...others] = systemsOf(environment);
  return found !== undefined && others.length === 0 && found.isHere(environment);
};

/** That with this name in configurations and profiles; the first where none is said. */
const batchNamed = (name: string | undefined): KnownBatch =>
  batchSystems.find((each) => name !== undefined && each.name === name) ?? batchSystems[0];

/** How a planned allocation is asked for on a site, as a record of a scheduler. */
export function requestOn(
  { system, resources, options }: Pick<HpcProfile, 'system' | 'resources' | 'options'>,
  planned: PlannedRequest,
): SchedulerRequest {
  const { request } = batchNamed(system);
  if (request !== undefined) return request(planned, { resources, options });
  const { name, account, mem, nodes, walltime, partition, qos, gres, tmp, extra } = planned;
  return {
    name,
    account,
    mem,
    nodes,
    walltime,
    partition,
    qos,
    gres,
    tmp,
    extra: withSiteOptions(extra, options),
  };
}

function systemsOf(environment: Environment): KnownBatch[] {
  const around = batchSystems.filter(({ isMeant }) => isMeant?.(environment) === true);
  if (around.length > 0) return around.slice(0, 1);
  const chosen = batchSystems.filter(({ name }) => name !== undefined && name === environment[BATCH_VARIABLE]);
  return chosen.length > 0 ? chosen : batchSystems.filter(({ isHere }) => isHere(environment));
}

const unclear = (found: readonly KnownBatch[]): Refusal =>
  new Refusal(
    'BATCH_SYSTEM_UNCLEAR',
    `several batch systems are installed here, ${found.map(({ name }) => name).join(' and ')}: choose one with [client.batch] system in the configuration, or with ${BATCH_VARIABLE}`,
    { found: found.map(({ name }) => name) },
  );
