import type { Allocation } from '../batch/allocation.ts';
import { type HostFacts, limited } from '../host/facts.ts';
import { programOn } from '../program-on.ts';
import { grantedDevices } from './devices.ts';
import { cpusPerNode } from './nodes.ts';
import { isOrdinaryStep, stepNameOf } from './step-name.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The resources of the machine that this process may use, also if Slurm does not enforce the limits of the allocation.
 */
export const withinAllocation = (facts: HostFacts, allocation: Allocation | undefined): HostFacts =>
  allocation === undefined ? facts : limited(facts, allocation, `allocation ${allocation.jobId}`);

/** The variable that names the allocation of a process. */
export const JOB_VARIABLE = 'SLURM_JOB_ID';

const MEBIBYTE = 2 ** 20;

/**
 * The allocation of a process with these variables; undefined outside of one.
 *
 * Source: sbatch(1), OUTPUT ENVIRONMENT VARIABLES. Memory is given in MiB, per node or per CPU; 0 per node means all of
 * it.
 */
export function allocationOf(environment: Environment): Allocation | undefined {
  const number = (name: string) => {
    const text = environment[name];
    return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
  };
  const jobId = number(JOB_VARIABLE);
  if (jobId === undefined) return undefined;
  const cpus = number('SLURM_CPUS_ON_NODE');
  const perNode = number('SLURM_MEM_PER_NODE');
  const perCpu = number('SLURM_MEM_PER_CPU');
  const mebibytes = perNode || (perCpu !== undefined && cpus !== undefined ? perCpu * cpus : undefined);
  const moment = (name: string) => {
    const seconds = number(name);
    return seconds === undefined ? undefined : seconds * 1000;
  };
  return {
    jobId,
    arrayJobId: number('SLURM_ARRAY_JOB_ID'),
    nodeId: number('SLURM_NODEID') ?? 0,
    taskPid: number('SLURM_TASK_PID') ?? process.pid,
    nodes: number('SLURM_JOB_NUM_NODES') ?? 1,
    nodeList: environment['SLURM_JOB_NODELIST'] ?? environment['SLURM_NODELIST'],
    cpus,
    cpusPerNode: cpusPerNode(environment['SLURM_JOB_CPUS_PER_NODE']),
    cpusPerTask: number('SLURM_CPUS_PER_TASK'),
    memoryBytes: mebibytes === undefined ? undefined : mebibytes * MEBIBYTE,
    isMemoryPerCpu: environment['SLURM_MEM_PER_CPU'] !== undefined,
    gpus: grantedDevices(environment),
    hasGpus: Boolean(environment['SLURM_JOB_GPUS'] ?? environment['SLURM_GPUS_ON_NODE']),
    // Of Slurm 23.02 and later.
    beganAtMs: moment('SLURM_JOB_START_TIME'),
    endsAtMs: moment('SLURM_JOB_END_TIME'),
    restarts: number('SLURM_RESTART_COUNT') ?? 0,
    step: stepNameOf(environment),
    isInStep: isOrdinaryStep(environment),
    canStartSteps: Boolean(environment['TORC_FAKE_SRUN']) || programOn(environment['PATH'], 'srun') !== undefined,
  };
}
