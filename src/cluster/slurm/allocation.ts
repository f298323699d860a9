import { runHelper } from '../exec.ts';
import { type HostFacts, limited } from '../host/facts.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The allocation in which this process runs, from Slurm's environment variables. */
export interface Allocation {
  readonly jobId: number;
  readonly nodeId: number;
  readonly taskPid: number;
  readonly nodes: number;
  /** CPUs of this node that belong to the allocation; undefined if Slurm does not give them. */
  readonly cpus: number | undefined;
  /** Memory of this node that belongs to it; undefined if Slurm does not give it. */
  readonly memoryBytes: number | undefined;
}

/**
 * The resources of the machine that this process may use, also if Slurm does not enforce the limits of the allocation.
 */
export function withinAllocation(facts: HostFacts, environment: Environment): HostFacts {
  const allocation = allocationOf(environment);
  return allocation === undefined ? facts : limited(facts, allocation, `allocation ${allocation.jobId}`);
}

const MEBIBYTE = 2 ** 20;

/**
 * Undefined outside an allocation.
 *
 * Source: sbatch(1), OUTPUT ENVIRONMENT VARIABLES. Memory is given in MiB, per node or per CPU; 0 per node means all of
 * it.
 */
export function allocationOf(environment: Environment): Allocation | undefined {
  const number = (name: string) => {
    const text = environment[name];
    return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
  };
  const jobId = number('SLURM_JOB_ID');
  if (jobId === undefined) return undefined;
  const cpus = number('SLURM_CPUS_ON_NODE');
  const perNode = number('SLURM_MEM_PER_NODE');
  const perCpu = number('SLURM_MEM_PER_CPU');
  const mebibytes = perNode || (perCpu !== undefined && cpus !== undefined ? perCpu * cpus : undefined);
  return {
    jobId,
    nodeId: number('SLURM_NODEID') ?? 0,
    taskPid: number('SLURM_TASK_PID') ?? process.pid,
    nodes: number('SLURM_JOB_NUM_NODES') ?? 1,
    cpus,
    memoryBytes: mebibytes === undefined ? undefined : mebibytes * MEBIBYTE,
  };
}

const SQUEUE_MS = 20_000;

/** The duration of an allocation when Slurm is simulated, as in Torc 1.0.0. */
const PLAYED_MS = 10 * 24 * 3600 * 1000;

/**
 * The end of the allocation in Unix milliseconds; undefined if it has none.
 *
 * Calls squeue if the environment does not contain it. If `TORC_FAKE_SBATCH` replaces sbatch, no Slurm knows the
 * allocation: squeue is not called, and the allocation lasts ten days.
 */
export async function endOfAllocation(
  { jobId }: Allocation,
  environment: Environment,
  nowMs: number,
): Promise<number | undefined> {
  const told = environment['SLURM_JOB_END_TIME'];
  if (told !== undefined && /^\d+$/.test(told)) return Number(told) * 1000;
  if (environment['TORC_FAKE_SBATCH']) return nowMs + PLAYED_MS;
  const squeue = environment['TORC_FAKE_SQUEUE'] ?? 'squeue';
  return parseTimeOf(
    jobId,
    await runHelper(squeue, ['--noheader', '--jobs', String(jobId), '--format', '%A|%e'], { atMostMs: SQUEUE_MS }),
  );
}

/**
 * The time of a job in the lines of `squeue -o '%A|%e'`. One task of a job array has the id of the array, and squeue lists
 * all tasks then. A program that stands in for squeue may print the time alone.
 */
export function parseTimeOf(jobId: number, text: string): number | undefined {
  const lines = text.trim().split('\n');
  const own = lines.find((line) => line.trim().startsWith(`${jobId}|`)) ?? lines[0] ?? '';
  return parseTime(own.slice(own.indexOf('|') + 1));
}

/**
 * A time in a reply of squeue, such as `2026-11-21T16:30:00`, which is in the time zone of the host.
 *
 * `NONE`, `N/A` and the like mean that there is none. Source: squeue(1), formats %e and %S.
 */
export function parseTime(text: string): number | undefined {
  const match = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.exec(text.trim());
  return match === null ? undefined : Date.parse(match[0]);
}
