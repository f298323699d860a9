import {
  ALLOCATION_VARIABLE,
  allocationRunnerLine,
  nodeMonitorLine,
  type RunnerLine,
} from '../../core/allocation/runner-line.ts';
import { allocationOutputOf } from '../../core/contract/files/runner.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { greatest } from '../../core/quantity/extremes.ts';
import { parseMemory } from '../../core/quantity/bytes.ts';
import { parseGres } from '../../core/quantity/gres.ts';
import { parseWalltime } from '../../core/quantity/slurm-time.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { AllocationScript } from '../batch/allocation-script.ts';
import { BEGAN_VARIABLE, ON_NODE, PBS_JOB_VARIABLE, SCRIPT_VARIABLE } from './allocation.ts';

/**
 * The script of an allocation: its `#PBS` lines have an option each, which the submission gives to qsub.
 *
 * Fields of a Slurm scheduler are translated; what PBS has no word for is refused. Output is appended to the files that an allocation of Slurm
 * has, so that the output of a job that was requeued stays; what PBS itself says of a job lies in the folder `pbs` beside them.
 * Throws `SUBMISSION_REFUSED`.
 */
export function pbsScript({
  jobName,
  scheduler,
  defaults,
  needs = [],
  submitter,
  record,
  runner,
}: AllocationScript): string {
  refuseOptionsOfSlurm(scheduler, defaults);
  const { pbs, account, partition: queue, walltime } = scheduler;
  const { rest: extra } = plannedCpusIn(scheduler.extra);
  // PBS refuses chunks beside an older form of the same request.
  const isOtherwise = pbs?.select === undefined && OTHER_FORMS.test(extra);
  const select = isOtherwise ? undefined : (pbs?.select ?? selectOf(scheduler, needs));
  const place = pbs?.place ?? (scheduler.nodes > 1 && !isOtherwise ? 'scatter' : undefined);
  const options: (readonly [string, string | null | undefined])[] = [
    ['-N', nameOf(jobName)],
    ['-A', account],
    ['-P', pbs?.project],
    ['-q', queue],
    ['-l', select && `select=${select}`],
    ['-l', place === undefined ? undefined : `place=${place}`],
    ['-l', `walltime=${clockOf(walltime)}`],
    ['-j', 'oe'],
    ['-k', 'oed'],
    ['-o', `${absolute(runner.outputDir)}/pbs/`],
  ];
  const output = shellWord(allocationOutputOf(absolute(runner.outputDir), runner.workflowId, ''));
  return [
    '#!/bin/bash',
    ...(submitter === undefined ? [] : [`# ${submitter}`]),
    ...options.flatMap(([name, value]) => (value ? [directive(name, value)] : [])),
    ...(extra === '' ? [] : [`#PBS ${oneLine('extra', extra)}`]),
    '',
    `export ${PBS_JOB_VARIABLE}="\${PBS_JOBID%%[.[]*}" ${BEGAN_VARIABLE}="$(date +%s)"`,
    ...(record === undefined ? [] : [`export ${ALLOCATION_VARIABLE}=${record.id}`]),
    `exec >> ${output}"$${PBS_JOB_VARIABLE}".o 2>> ${output}"$${PBS_JOB_VARIABLE}".e`,
    ...commandsOf(runner),
    '',
  ].join('\n');
}

/** A word of its own where it is one that PBS reads whole: in quotes if it has blanks. */
const directive = (name: string, value: string): string => `#PBS ${name} ${shellWord(oneLine(name, value))}`;

/** The options in the `#PBS` lines of a script, as arguments of qsub. */
export const directivesIn = (script: string): string[] =>
  [...script.matchAll(/^#PBS +(.+)$/gm)].flatMap(([, options = '']) => words(options));

/** The name of the job in such a text. */
export const pbsJobNameIn = (script: string): string | undefined => {
  const options = directivesIn(script);
  const at = options.indexOf('-N');
  return at < 0 ? undefined : options[at + 1];
};

/** The words of a line, as a shell reads them without replacing anything. */
function words(line: string): string[] {
  const found = line.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g) ?? [];
  return found.map((word) =>
    word.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g, (_, plain?: string, double?: string, letter?: string) =>
      plain === undefined ? (double?.replaceAll(/\\(["\\$`])/g, '$1') ?? letter ?? '') : plain,
    ),
  );
}

const absolute = (folder: string): string => (folder.startsWith('/') ? folder : `${process.cwd()}/${folder}`);

/** PBS takes letters, digits and `-_+.`, at most 230. */
const nameOf = (jobName: string): string => jobName.replaceAll(/[^\w+.-]/g, '_').slice(0, 200);

/** Hours of a walltime have as many digits as it needs there. */
function clockOf(walltime: string): string {
  const seconds = /^\d+:\d\d:\d\d$/.test(walltime.trim()) ? undefined : parseWalltime(walltime);
  return seconds === undefined ? walltime.trim() : pbsClock(seconds);
}

/** `24:59:59`: PBS has no days. */
export function pbsClock(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
}

type Needs = NonNullable<AllocationScript['needs']>;

/** As much on each node as the scheduler asks for, or else as the largest job needs: PBS gives one CPU otherwise, and limits no memory. */
function selectOf({ nodes, mem, gres, extra }: AllocationScript['scheduler'], needs: Needs): string {
  const cpus =
    plannedCpusIn(extra).cpus ??
    greatest(
      needs.map(({ num_cpus: count }) => count ?? 1),
      1,
    );
  const memoryBytes = mem
    ? parseMemory(mem)
    : greatest(
        needs.map(({ memory }) => (memory ? parseMemory(memory) : 0)),
        0,
      );
  const gpus = gres
    ? parseGres(gres)?.count
    : greatest(
        needs.map(({ num_gpus: count }) => count ?? 0),
        0,
      );
  if (gpus === undefined) throw untranslated('gres', gres);
  return [
    `${nodes}:ncpus=${cpus}`,
    ...(memoryBytes > 0 ? [`mem=${Math.ceil(memoryBytes / 1024)}kb`] : []),
    ...(gpus > 0 ? [`ngpus=${gpus}`] : []),
  ].join(':');
}

/** The CPUs of a node as plans write them for every batch system (`hpc/kept-scheduler.ts`), and the options beside them. */
export function plannedCpusIn(extra: string | null | undefined): {
  readonly cpus: number | undefined;
  readonly rest: string;
} {
  const text = extra ?? '';
  const cpus = PLANNED_CPUS.exec(text)?.[1];
  return { cpus: cpus === undefined ? undefined : Number(cpus), rest: text.replace(PLANNED_CPUS, ' ').trim() };
}

/** Requests for nodes and what they have that are no chunks. Source: pbs_resources(7B). */
const OTHER_FORMS = /(?<!\S)-l\s*(?:\S+,)?(?:select|nodes|ncpus|mem|vmem|ngpus|mpiprocs)=/;

const PLANNED_CPUS = /(?<!\S)--cpus-per-task=(\d+)(?!\S)/;

/** Options of sbatch, which a scheduler for Slurm has beside its fields. */
function refuseOptionsOfSlurm(scheduler: AllocationScript['scheduler'], defaults: AllocationScript['defaults']): void {
  const { pbs, extra, qos, tmp, serialize_allocations: isSerialized } = scheduler;
  if (isSerialized === true) throw untranslated('serialize_allocations', true);
  if (qos) throw untranslated('qos', qos);
  if (tmp) throw untranslated('tmp', tmp);
  if (pbs) return;
  if (plannedCpusIn(extra).rest !== '') throw untranslated('extra', extra);
  const [name] = Object.keys(defaults);
  if (name !== undefined) throw untranslated(`slurm_defaults: ${name}`, defaults[name]);
}

const untranslated = (field: string, found: unknown): Refusal =>
  new Refusal(
    'SUBMISSION_REFUSED',
    `${field} has no counterpart in PBS, which has the queue here: write a scheduler under pbs_schedulers, whose select, place and extra are those of qsub`,
    { field, found },
  );

function oneLine(name: string, value: string): string {
  if (!/[\r\n\0]/.test(value)) return value;
  throw new Refusal('SUBMISSION_REFUSED', `the qsub option ${name} has more than one line: ${JSON.stringify(value)}`, {
    field: name,
    found: value,
  });
}

/**
 * Runs the runner, and removes the script at its end, unless PBS runs the job once more: it has the user's variables.
 *
 * PBS signals every process of the job, and the shell must not end before the runner. On several nodes the script starts itself on each, by
 * `pbs_tmrsh`, whose exit code is that of the runner there, or its one runner starts jobs on each (`runner/step/far`).
 */
function commandsOf(runner: RunnerLine): string[] {
  const line = allocationRunnerLine(runner);
  const begin = ["trap 'signaled=1' TERM; trap : USR1 USR2", 'code=0'];
  const end = [
    `[ -n "\${signaled:-}" ] && qstat -f "$PBS_JOBID" | grep -q 'substate = 60' || rm -f -- "$0"`,
    'exit "$code"',
  ];
  if (runner.perNode !== undefined)
    return [
      // A task on the first node has no variable of the file, and finds it where the script does.
      `if [ "\${1:-}" = node ]; then export PBS_NODEFILE="\${PBS_NODEFILE:-$2}"; exec ${line} --is-subtask; fi`,
      ...begin,
      ...onNodes('node "$PBS_NODEFILE"', '"$PBS_NODEFILE"'),
      'for pid in "${pids[@]}"; do',
      '  until wait "$pid"; ended=$?; ! kill -0 "$pid" 2> /dev/null; do :; done',
      '  [ "$ended" = 0 ] || code=$ended',
      'done',
      ...end,
    ];
  const monitor =
    runner.monitorsNodes === true
      ? [
          `if [ "\${1:-}" = monitor ]; then exec ${nodeMonitorLine(runner)}; fi`,
          ...onNodes('monitor', '<(grep -vxF "$(head -n 1 "$PBS_NODEFILE")" "$PBS_NODEFILE")'),
        ]
      : [];
  // The runner starts what starts jobs on the other nodes.
  const others = [
    `if [ "\${1:-}" = ${ON_NODE} ]; then shift; unset ${ALLOCATION_VARIABLE}; exec "$@"; fi`,
    `export ${SCRIPT_VARIABLE}="$0"`,
  ];
  return [...others, ...begin, ...monitor, `${line} || code=$?`, ...end];
}

const onNodes = (word: string, nodes: string): string[] => [
  'pids=()',
  `for node in $(sort -u ${nodes}); do pbs_tmrsh "$node" /bin/bash "$0" ${word} & pids+=("$!"); done`,
];
