import { formatMemory } from '../../core/quantity/bytes.ts';
import { formatRuntime } from '../../core/quantity/duration.ts';
import { parseGres } from '../../core/quantity/gres.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import type { Report } from '../conversion.ts';
import type { ResolvedJob } from './dry-run.ts';
import type { WrittenRule } from './rules.ts';

const MB = 10 ** 6;

/** The first of some resources that has a number. */
function amountOf({ resources }: ResolvedJob, ...names: readonly string[]): number | undefined {
  return names.map((name) => Number(resources.get(name) ?? Number.NaN)).find((value) => value > 0 && value < Infinity);
}

const cpusOf = (job: ResolvedJob): number => Math.max(job.threads, amountOf(job, 'cpus_per_task') ?? 1);

export function memoryBytesOf(job: ResolvedJob): number | undefined {
  const perCpu = amountOf(job, 'mem_mb_per_cpu');
  const whole = amountOf(job, 'mem_mb') ?? (perCpu === undefined ? undefined : perCpu * cpusOf(job));
  return whole === undefined ? undefined : whole * MB;
}

export function runtimeSecondsOf(job: ResolvedJob): number | undefined {
  const minutes = amountOf(job, 'runtime', 'runtime_min', 'time_min');
  return minutes === undefined ? undefined : Math.ceil(minutes * 60);
}

export const gpusOf = (job: ResolvedJob): number | undefined =>
  amountOf(job, 'gpu', 'nvidia_gpu', 'gpus') ?? parseGres(job.resources.get('gres') ?? '')?.count;

/** What a job asks for; undefined if its rule says nothing. Memory that it does not ask for is 1 GiB for each thread. */
export function requirementsOf(job: ResolvedJob): ValueMap | undefined {
  const cpus = cpusOf(job);
  const memory = memoryBytesOf(job);
  const seconds = runtimeSecondsOf(job);
  const gpus = gpusOf(job);
  if (cpus <= 1 && memory === undefined && seconds === undefined && gpus === undefined) return undefined;
  return {
    num_cpus: cpus,
    memory: formatMemory(memory ?? cpus * 2 ** 30),
    ...(gpus === undefined ? {} : { num_gpus: gpus }),
    ...(seconds === undefined ? {} : { runtime: formatRuntime(seconds) }),
  };
}

const CARRIED =
  /^(?:mem|mem_mb|mem_mib|mem_mb_per_cpu|cpus_per_task|runtime|runtime_min|time_min|gpus?|nvidia_gpu|tmpdir)$/;
/** Those that decide; others say the same in other units. */
const OF_INPUTS = /^(?:mem_mb|mem_mb_per_cpu|runtime|gpus?|nvidia_gpu|cpus_per_task)$/;
const OF_ALLOCATIONS = /^(?:slurm_(?:partition|account|qos)|partition|account|qos|clusters|gpu_model)$/;
const OF_STEPS = /^(?:nodes|tasks|tasks_per_node|tasks_per_gpu|mpi|slurm_extra|constraint)$/;

const OF_DISK = /^disk(?:_mi?b)?$/;

/** Whether a resource means something to its Snakefile alone. */
export const isOfItsOwn = (job: ResolvedJob, name: string): boolean =>
  /^\w+$/.test(name) &&
  ![CARRIED, OF_DISK, OF_ALLOCATIONS, OF_STEPS].some((each) => each.test(name)) &&
  !(name === 'gres' && gpusOf(job) !== undefined);

/** Resources that are neither a requirement of a job nor counted. */
export function reportResources(job: ResolvedJob, rule: WrittenRule | undefined, report: Report): void {
  for (const [name, value] of job.resources) {
    const found = `the resource ${name} of rule ${job.rule}`;
    const at = [rule?.line, rule?.file] as const;
    if (value === '<TBD>' && OF_INPUTS.test(name))
      report.leaveOut(found, 'it is known when the inputs of the job are there: write it into the file', ...at);
    if (OF_ALLOCATIONS.test(name))
      report.note(found, 'jobs do not choose allocations; torc slurm generate writes them into the file', ...at);
    else if (OF_STEPS.test(name))
      report.leaveOut(`${found} (${value})`, 'a job is one process in an allocation; give it to that', ...at);
  }
}

const THREAD_VARIABLES = [
  'OMP_NUM_THREADS',
  'GOTO_NUM_THREADS',
  'OPENBLAS_NUM_THREADS',
  'MKL_NUM_THREADS',
  'VECLIB_MAXIMUM_THREADS',
  'NUMEXPR_NUM_THREADS',
];

/** Snakemake gives libraries for linear algebra as many threads as the rule has. */
export const environmentOfThreads = (threads: number): Readonly<Record<string, string>> =>
  Object.fromEntries(THREAD_VARIABLES.map((name) => [name, String(threads)]));

/** The folder for temporary files that a rule names; others have that of the machine on which they run. */
export function environmentOfTmpdir({ resources }: ResolvedJob, rule: WrittenRule | undefined): Record<string, string> {
  const folder = resources.get('tmpdir');
  if (folder === undefined || !/\btmpdir\s*=/.test(rule?.text ?? '')) return {};
  return Object.fromEntries(['TMPDIR', 'TMP', 'TEMPDIR', 'TEMP'].map((name) => [name, folder]));
}
