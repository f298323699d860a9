import type { Allocation } from '../batch/allocation.ts';
import { programOn } from '../program-on.ts';
import { isOrdinaryStep, stepNameOf } from './step-name.ts';

type Environment = Readonly<Record<string, string | undefined>>;

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

/** The GPUs of this node that belong to the step or the allocation of a process; undefined if no variable names any. */
export function grantedDevices(environment: Environment): string[] | undefined {
  for (const name of ['SLURM_STEP_GPUS', 'SLURM_JOB_GPUS']) {
    const text = environment[name]?.trim() ?? '';
    if (text !== '') return devicesIn(text);
  }
  return undefined;
}

/** `0-3`, also after the type of the devices: `gpu:a100:0-3`. */
const RANGE = /^(?:gpu:)?(?:[\w.]+:)?(\d+)(?:-(\d+))?$/;

/** No node has more. A longer range is an error, which must not become a list of billions. */
const MOST_DEVICES = 1024;

/** Numbers and ranges; other words, such as `(null)` or `N/A`, name none. */
function devicesIn(text: string): string[] {
  const devices = new Set<string>();
  for (const word of text.split(',')) {
    const [, first, last = first] = RANGE.exec(word.trim()) ?? [];
    if (first === undefined) continue;
    const end = Math.min(Number(last), Number(first) + MOST_DEVICES - 1);
    for (let device = Number(first); device <= end; device += 1) devices.add(String(device));
  }
  return [...devices];
}

/**
 * The CPUs of the allocation, node by node, from `SLURM_JOB_CPUS_PER_NODE` such as `72(x2),36`; undefined if the text is
 * none of this shape.
 */
export function cpusPerNode(text: string | undefined): number[] | undefined {
  const cpus: number[] = [];
  for (const part of (text ?? '').split(',')) {
    const match = /^(\d+)(?:\(x(\d+)\))?$/.exec(part.trim());
    if (match === null) return undefined;
    const times = Number(match[2] ?? 1);
    if (times > MOST_NODES) return undefined;
    for (let node = 0; node < times; node += 1) cpus.push(Number(match[1]));
  }
  return cpus;
}

/** No allocation has more. A larger number is an error, which must not become a list of billions. */
const MOST_NODES = 100_000;
