import { cpusToAsk } from '../../core/allocation/cpu-request.ts';
import {
  ALLOCATION_VARIABLE,
  nodeMonitorLine,
  allocationRunnerLine,
  type RunnerLine,
} from '../../core/allocation/runner-line.ts';
import { allocationOutputOf } from '../../core/contract/files/runner.ts';
import type { SlurmScheduler } from '../../core/contract/scheduling.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { AllocationScript } from '../batch/allocation-script.ts';

/**
 * The script of an allocation: sbatch reads its options from the `#SBATCH` lines, then the job runs it.
 *
 * Values of the scheduler replace defaults of the same name. Output is appended, so that the output of a job that Slurm
 * requeued stays. The variables of memory per CPU and per GPU are unset, because steps would inherit them beside
 * `--mem`.
 * Throws `SUBMISSION_REFUSED` for a value that would end its line, and for a choice of clusters.
 */
export function submissionScript({
  jobName,
  scheduler,
  defaults,
  needs,
  submitter,
  record,
  workingFolder = '',
  runner,
}: AllocationScript): string {
  const { account, walltime, extra, nodes, partition, qos, gres, mem, tmp } = scheduler;
  const own = { nodes, partition, qos, gres, mem, tmp };
  const cpus = needs === undefined ? undefined : cpusToAsk({ defaults, extra }, needs);
  const free: Record<string, string> = {
    'open-mode': 'append',
    ...(cpus === undefined ? {} : { 'cpus-per-task': String(cpus) }),
    ...dashed(defaults),
    ...(scheduler.serialize_allocations === true ? { dependency: 'singleton' } : {}),
    ...dashed(own),
  };
  const folder = inPattern(runner.outputDir, free['chdir'] ?? workingFolder);
  const output = allocationOutputOf(folder, runner.workflowId, '%j');
  const fixed = { account, 'job-name': jobName, time: walltime, output: `${output}.o`, error: `${output}.e` };
  if ('clusters' in free || /(?:^|\s)(?:--clusters|-M)\b/.test(extra ?? '')) throw otherCluster();
  const options = Object.entries({ ...free, ...fixed }).map(([name, value]) => optionLine(name, value));
  const first = options.slice(-Object.keys(fixed).length);
  const extras =
    extra === undefined || extra === null || extra.trim() === '' ? [] : [`#SBATCH ${oneLine('extra', extra)}`];
  return [
    '#!/bin/bash',
    ...(submitter === undefined ? [] : [`# ${submitter}`]),
    ...first,
    ...options.slice(0, -first.length),
    ...extras,
    '',
    'unset SLURM_MEM_PER_CPU SLURM_MEM_PER_GPU',
    ...(record === undefined ? [] : [`export ${ALLOCATION_VARIABLE}=${recordText(record)}`]),
    ...commandsOf(runner),
    '',
  ].join('\n');
}

/** The records of an array follow from the numbers of its tasks. */
const recordText = ({ id, isArray }: { readonly id: number; readonly isArray: boolean }): string =>
  isArray ? `$((${id} + SLURM_ARRAY_TASK_ID))` : String(id);

/** Lists and maps are no values of an option; `torc` warns about them when the workflow is created. */
const dashed = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([name, value]) => /^[\w-]+$/.test(name) && ['string', 'number', 'boolean'].includes(typeof value))
      .map(([name, value]) => [name.replaceAll('_', '-'), String(value)]),
  );

/**
 * A folder in the name of an output file, where Slurm replaces `%j` and the like: also in that of the job, if the name does not begin with `/`
 * (26.05.3). A backslash cannot be written there: Slurm removes all of them, and then replaces nothing.
 */
function inPattern(given: string, workingFolder: string): string {
  const folder = given.startsWith('/') || !/[%\\]/.test(workingFolder) ? given : `${workingFolder}/${given}`;
  if (!folder.includes('\\')) return folder.replaceAll('%', '%%');
  throw new Refusal(
    'SUBMISSION_REFUSED',
    `the output folder ${folder} contains a backslash, which Slurm removes from the names of output files: choose another one with --output-dir`,
    { field: 'output', found: folder },
  );
}

/** sbatch refuses `--exclusive=true`: a flag stands alone, and one that is false is left out. */
function optionLine(name: string, value: string): string {
  if (value === 'true' && FLAGS.has(name)) return `#SBATCH --${name}`;
  const text = oneLine(name, value);
  return `#SBATCH --${name}=${/[\s"'\\#]/.test(text) ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : text}`;
}

/** The name of the job in the text of such a script: in quotes where a prefix has blanks (`optionLine`). */
export function jobNameIn(script: string): string | undefined {
  const [, quoted, plain] = /^#SBATCH --job-name=(?:"((?:[^"\\]|\\.)*)"|(\S+))$/m.exec(script) ?? [];
  return quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
}

/** Options of sbatch without a value, and `exclusive`, whose value is optional. */
const FLAGS = new Set([
  'exclusive',
  'contiguous',
  'hold',
  'requeue',
  'no-requeue',
  'oversubscribe',
  'overcommit',
  'reboot',
  'spread-job',
  'use-min-nodes',
  'parsable',
  'quiet',
]);

/** Slurm numbers the jobs of each cluster by themselves: those of another one could not be distinguished from ours. */
const otherCluster = (): Refusal =>
  new Refusal(
    'SUBMISSION_REFUSED',
    'the sbatch option clusters chooses another cluster, where Torc cannot follow its allocations; leave it out, and submit on a login node of that cluster',
    { field: 'clusters' },
  );

function oneLine(name: string, value: string): string {
  if (!/[\r\n\0]/.test(value)) return value;
  throw new Refusal(
    'SUBMISSION_REFUSED',
    `the sbatch option ${name} has more than one line: ${JSON.stringify(value)}`,
    {
      field: name,
      found: value,
    },
  );
}

function commandsOf(runner: RunnerLine): string[] {
  const { perNode } = runner;
  if (perNode !== undefined) {
    const mpi = perNode.mpi === undefined ? '' : `--mpi=${mpiOf(perNode.mpi)} `;
    return [
      `srun --ntasks-per-node=1 --wait=0 --kill-on-bad-exit=0 ${mpi}${allocationRunnerLine(runner)} --is-subtask`,
    ];
  }
  // The runner takes the place of the shell, which SIGTERM would end at once: with control groups, Slurm then kills the rest.
  return [...(runner.monitorsNodes === true ? monitorOf(runner) : []), `exec ${allocationRunnerLine(runner)}`];
}

/** The text after `srun --mpi=`. */
function mpiOf(mpi: string): string {
  const text = mpi.trim();
  if (text === '') throw new Refusal('SUBMISSION_REFUSED', 'srun_mpi must not be empty', { field: 'srun_mpi' });
  if (/^[A-Za-z0-9+_.-]+$/.test(text) && text === mpi) return text;
  throw new Refusal(
    'SUBMISSION_REFUSED',
    `srun_mpi must be a single safe token matching [A-Za-z0-9+_.-]+, found ${JSON.stringify(mpi)}`,
    { field: 'srun_mpi', found: mpi },
  );
}

/** In the background, on all nodes but the one of the runner. When that has left, Slurm ends it by SIGTERM, at which it writes its last samples. */
const monitorOf = (runner: RunnerLine): string[] => [
  'if [ "${SLURM_JOB_NUM_NODES:-1}" -gt 1 ]; then',
  '  srun --overlap --nodes=$((SLURM_JOB_NUM_NODES - 1)) --ntasks=$((SLURM_JOB_NUM_NODES - 1)) --ntasks-per-node=1' +
    ' --exclude="$SLURMD_NODENAME" --job-name=torc-monitor-node --wait=0 --kill-on-bad-exit=0' +
    ` ${nodeMonitorLine(runner)} &`,
  'fi',
];

/** Whether allocations may be tasks of a job array: not with an array of the user's own, and not if they run one after the other. */
export const takesArray = (
  { extra, serialize_allocations: isSerialized }: Pick<SlurmScheduler, 'extra' | 'serialize_allocations'>,
  defaults: Readonly<Record<string, unknown>>,
): boolean => isSerialized !== true && !Object.hasOwn(defaults, 'array') && !/(^|\s)(--array\b|-a\b)/.test(extra ?? '');
