import { patternText } from '../../core/text/pattern-text.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import { reportOf, type Conversion, type Report } from '../conversion.ts';
import { fileEntries } from '../file-names.ts';
import { uniqueNames } from '../unique-names.ts';
import { countsOf, readDryRun, type ResolvedJob } from './dry-run.ts';
import { includesOf, readRules, type Snakefile, type WrittenRule } from './rules.ts';
import { formatMemory } from '../../core/quantity/bytes.ts';
import { formatRuntime } from '../../core/quantity/duration.ts';

/** What Snakemake printed, and the files that it read. */
export interface SnakemakeRun {
  /** The Snakefile, then those that it includes. */
  readonly files: readonly [Snakefile, ...Snakefile[]];
  readonly printed: string;
}

/** Directives for which Snakemake itself does more than run a command. */
const OF_SNAKEMAKE = ['run', 'script', 'notebook', 'wrapper', 'cwl', 'template_engine', 'shadow', 'conda', 'container'];
const ALSO = ['singularity', 'containerized', 'envmodules'];

/**
 * The jobs that Snakemake resolved, as jobs with files. A rule with a shell command becomes this command in the shell mode of
 * Snakemake; a rule that needs Snakemake (a script, an environment, a container) becomes a job that lets it run this one rule.
 *
 * Throws: `CONVERSION_REFUSED` if there is nothing to run.
 */
export function convertSnakemake({ files, printed }: SnakemakeRun): Conversion {
  const [{ path }] = files;
  const report = reportOf(path);
  const rules = readRules(files);
  const all = readDryRun(printed);
  reportHidden(all, printed, rules, report);
  const resolved = all.filter((job) => job.shell !== undefined || needsSnakemake(job, rules.get(job.rule)));
  if (resolved.length === 0)
    throw new Refusal('CONVERSION_REFUSED', `${path}: Snakemake would run nothing, so there are no jobs`);
  reportFiles(files, report);
  const names = fileEntries();
  const unique = uniqueNames();
  const needs = new Map<string, ValueMap>();
  const made = new Set(resolved.flatMap(({ output }) => output));
  const read = new Set(resolved.flatMap(({ input }) => input));
  const jobs = resolved.map((job) => {
    const rule = rules.get(job.rule);
    reportJob(job, rule, report);
    const asked = requirementsOf(job);
    // A log need not be written, unless another job reads it.
    const outputs = [...job.output, ...job.log.filter((each) => read.has(each))];
    const key = JSON.stringify(asked);
    if (asked !== undefined && !needs.has(key)) needs.set(key, { name: `needs_${needs.size + 1}`, ...asked });
    return {
      name: unique([job.rule, ...(job.output[0] === undefined ? [] : [job.output[0]])].join('_')),
      command: needsSnakemake(job, rule) ? bySnakemake(job, rule, path) : byShell(job, rule),
      ...(job.priority === undefined ? {} : { priority: job.priority }),
      ...(asked === undefined ? {} : { resource_requirements: needs.get(key)?.['name'] ?? '' }),
      ...(job.input.length === 0 ? {} : { input_files: job.input.map(names.nameOf) }),
      ...(outputs.length === 0 ? {} : { output_files: outputs.map(names.nameOf) }),
    };
  });
  if (made.size === 0) report.note('no output', 'no rule writes a file, so no job waits for another one');
  return {
    workflow: {
      name: path.replace(/^.*\//, ''),
      jobs,
      ...(names.entries.length === 0 ? {} : { files: names.entries }),
      ...(needs.size === 0 ? {} : { resource_requirements: [...needs.values()] }),
    },
    notes: report.notes,
  };
}

function needsSnakemake({ shell, output }: ResolvedJob, rule: WrittenRule | undefined): boolean {
  if (rule === undefined) return shell === undefined && output.length > 0;
  return (
    [...OF_SNAKEMAKE, ...ALSO].some((each) => rule.directives.has(each)) ||
    ['touch', 'protected'].some((each) => rule.flags.has(each)) ||
    notEmpty(rule.text, output) === undefined
  );
}

/** Snakemake runs a command in bash with these settings, and makes the folders of outputs and logs. */
function byShell({ shell = '', log, output }: ResolvedJob, rule: WrittenRule | undefined): string {
  const folders = [...new Set(log.map((each) => each.replace(/\/?[^/]*$/, '')))].filter((each) => each !== '');
  const full = notEmpty(rule?.text ?? '', output) ?? [];
  return [
    ...(folders.length === 0 ? [] : [`mkdir -p ${folders.map(shellWord).join(' ')}`]),
    'set -euo pipefail',
    // The command may change the folder, or end its shell.
    ...(full.length === 0 ? [shell] : ['(', shell, ')', ...full.map(isFull)]),
  ].join('\n');
}

const isFull = (path: string): string =>
  `test -s ${shellWord(path)} || { echo ${shellWord(`${path} is empty`)} >&2; exit 1; }`;

/** Snakemake runs this one rule for this one output; the jobs before have made its inputs. */
function bySnakemake({ rule, output, threads }: ResolvedJob, written: WrittenRule | undefined, path: string): string {
  const has = (...names: readonly string[]) => names.some((name) => written?.directives.has(name) === true);
  const methods = [
    ...(has('conda') ? ['conda'] : []),
    ...(has('container', 'singularity', 'containerized') ? ['apptainer'] : []),
    ...(has('envmodules') ? ['env-modules'] : []),
  ];
  const target = output[0] === undefined ? rule : output[0];
  return [
    `snakemake --snakefile ${shellWord(path)} --cores ${threads} --nolock --force --quiet all`,
    ...(methods.length === 0 ? [] : [`--software-deployment-method ${methods.join(' ')}`]),
    `--allowed-rules ${rule} -- ${shellWord(target)}`,
  ].join(' ');
}

function reportJob(job: ResolvedJob, rule: WrittenRule | undefined, report: Report): void {
  const at = [rule?.line, rule?.file] as const;
  if (job.isCheckpoint || [...job.input, ...job.output].some((each) => /^<.*>$/.test(each)))
    report.leaveOut(
      `checkpoint ${job.rule}`,
      'the jobs behind it are known only when it has run: convert again then',
      ...at,
    );
  if ([...job.input, ...job.output].some((each) => / \(.*storage\)$/.test(each)))
    report.leaveOut(`files in a storage of rule ${job.rule}`, 'jobs read and write files of the file system', ...at);
  if (rule === undefined)
    report.leaveOut(
      `rule ${job.rule}`,
      'no Snakefile has a rule of this name, so whether it needs more than its command cannot be seen',
    );
  if (rule?.threads !== undefined && rule.threads > job.threads)
    report.note(
      `threads: ${rule.threads} of rule ${job.rule}`,
      `its jobs have ${job.threads}; --cores gives them more`,
      ...at,
    );
  if (needsSnakemake(job, rule))
    report.note(`rule ${job.rule}`, 'its jobs let Snakemake run it, so it has to be installed where they run', ...at);
  if (rule?.flags.has('pipe') === true || rule?.flags.has('service') === true)
    report.leaveOut(
      `a pipe or service of rule ${job.rule}`,
      'jobs pass files; they do not run at the same time for it',
      ...at,
    );
  if (rule?.flags.has('temp') === true || rule?.flags.has('temporary') === true)
    report.note(`temp() in rule ${job.rule}`, 'the files are kept', ...at);
  if (rule?.directives.has('retries') === true)
    report.note(`retries of rule ${job.rule}`, 'not carried over: add a failure handler', ...at);
  if (rule?.directives.has('benchmark') === true)
    report.note(`benchmark of rule ${job.rule}`, 'torc measures every job: torc results list', ...at);
}

/** Jobs that Snakemake counts and does not show. */
function reportHidden(
  jobs: readonly ResolvedJob[],
  printed: string,
  rules: ReadonlyMap<string, WrittenRule>,
  report: Report,
): void {
  for (const [rule, count] of countsOf(printed)) {
    const shown = jobs.filter((job) => job.rule === rule).length;
    if (shown < count)
      report.leaveOut(
        `${count - shown} of ${count} jobs of rule ${rule}`,
        'a dry run does not show the files of a rule with a message: take its line message: out and convert again',
        rules.get(rule)?.line,
        rules.get(rule)?.file,
      );
  }
}

/** What in the Snakefiles is neither a rule nor part of the dry run. */
function reportFiles(files: readonly Snakefile[], report: Report): void {
  for (const file of files) {
    for (const line of includesOf(file).unread)
      report.leaveOut(
        'an include or module whose path is no literal',
        'whether its rules need Snakemake cannot be seen',
        line,
        file.path,
      );
    for (const [at, line] of file.text.split(/\r?\n/).entries()) {
      if (/^\s*shell\.(?:prefix|executable)\((?!["'](?:\/\w+)*\/?bash["'])/.test(line))
        report.leaveOut(line.trim(), 'commands run in bash with set -euo pipefail', at + 1, file.path);
      if (/^(?:container|containerized|singularity|conda)\s*:/.test(line))
        report.leaveOut(line.trim(), 'the environment of all rules: name it in each rule', at + 1, file.path);
      if (/^workdir\s*:/.test(line))
        report.leaveOut(
          line.trim(),
          'jobs run where torc run was started: run it there, with the paths from there',
          at + 1,
          file.path,
        );
      if (/^on(?:start|success|error)\s*:/.test(line))
        report.note(line.trim(), 'not carried over: add an action', at + 1, file.path);
    }
  }
}

const CALL = /\bensure\(/g;
const NOT_EMPTY = /\bensure\(\s*(["'])([^"'\n]+)\1\s*,\s*non_empty\s*=\s*True\s*,?\s*\)/g;

/**
 * The outputs that must not be empty, by `ensure("PATH", non_empty=True)` in the text of a rule. Undefined if one of its calls is another
 * one: a checksum, a function, a path that a program makes.
 */
function notEmpty(text: string, outputs: readonly string[]): readonly string[] | undefined {
  const lines = text.replaceAll(/^\s*#.*$/gm, '');
  const patterns = [...lines.matchAll(NOT_EMPTY)].map(([, , path = '']) => path);
  if (patterns.length !== (lines.match(CALL)?.length ?? 0)) return undefined;
  const found = patterns.map((pattern) => outputs.filter((path) => shapeOf(pattern).test(path)));
  if (found.some((paths) => paths.length === 0)) return undefined;
  return outputs.filter((path) => found.some((paths) => paths.includes(path)));
}

/** Wildcards such as `{sample}` or `{sample,\d+}` stand for any text. */
const shapeOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split(/\{[^{}]*\}/)
      .map((part) => patternText(part))
      .join('.+')}$`,
  );

const MB = 10 ** 6;

/** What a job asks for; undefined if its rule says nothing. Memory that it does not ask for is 1 GiB for each thread. */
function requirementsOf({ threads, resources }: ResolvedJob): ValueMap | undefined {
  const number = (name: string): number | undefined => {
    const value = Number(resources.get(name) ?? Number.NaN);
    return Number.isFinite(value) && value > 0 ? value : undefined;
  };
  const memoryMb = number('mem_mb');
  const minutes = number('runtime') ?? number('runtime_min') ?? number('time_min');
  const gpus = number('gpu') ?? number('nvidia_gpu') ?? number('gpus');
  if (threads <= 1 && memoryMb === undefined && minutes === undefined && gpus === undefined) return undefined;
  return {
    num_cpus: threads,
    memory: formatMemory(memoryMb === undefined ? threads * 2 ** 30 : memoryMb * MB),
    ...(gpus === undefined ? {} : { num_gpus: gpus }),
    ...(minutes === undefined ? {} : { runtime: formatRuntime(minutes * 60) }),
  };
}
