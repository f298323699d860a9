import { Refusal } from '../../core/contract/refusals.ts';
import type { Value, ValueMap } from '../../core/workflow-file/text/value.ts';
import { reportOf, type Conversion } from '../conversion.ts';
import { foldFamilies } from '../fold/fold.ts';
import { uniqueNames } from '../unique-names.ts';
import { handlerOf, laterAttempts, retriesOf, usualRetries } from './attempts.ts';
import { bySnakemake, byShell, needsSnakemake, protectedOf, temporaryOf } from './command.ts';
import { jobKey, readDryRun, type ResolvedJob } from './dry-run.ts';
import { licensesOfJobs } from './licenses.ts';
import { resourceLimits } from './limits.ts';
import { reportFiles, reportHidden, reportJob } from './reports.ts';
import { environmentOfThreads, environmentOfTmpdir, requirementsOf } from './requirements.ts';
import { readRules, type Snakefile, type WrittenRule } from './rules.ts';

/** What Snakemake printed, and the files that it read. */
export interface SnakemakeRun {
  /** The Snakefile, then those that it includes. */
  readonly files: readonly [Snakefile, ...Snakefile[]];
  readonly printed: string;
  /** The same for each further attempt that a job may have. */
  readonly later?: readonly string[] | undefined;
  /** The profiles that Snakemake read: their retries are those of all rules, their resources are limits. */
  readonly profiles?: readonly Snakefile[] | undefined;
}

/**
 * The jobs that Snakemake resolved, as jobs with files. A rule with a shell command becomes this command in the shell mode of
 * Snakemake; a rule that needs Snakemake (a script, an environment, a container) becomes a job that lets it run this one rule.
 *
 * Throws: `CONVERSION_REFUSED` if there is nothing to run.
 */
export function convertSnakemake({ files, printed, later = [], profiles = [] }: SnakemakeRun): Conversion {
  const [{ path }] = files;
  const report = reportOf(path);
  const rules = readRules(files);
  const all = inOrder(readDryRun(printed), rules);
  reportHidden(all, printed, rules, report);
  const resolved = all.filter((job) => job.shell !== undefined || needsSnakemake(job, rules.get(job.rule)));
  if (resolved.length === 0)
    throw new Refusal('CONVERSION_REFUSED', `${path}: Snakemake would run nothing, so there are no jobs`);
  const usual = usualRetries(profiles);
  reportFiles(files, usual > 0 || [...rules.values()].some(({ directives }) => directives.has('retries')), report);
  const unique = uniqueNames();
  const needs = sharedEntries('needs');
  const handlers = sharedEntries('retry');
  const licenses = licensesOfJobs(resourceLimits(files, profiles, report), report);
  const laterOf = laterAttempts(later.map(readDryRun));
  const made = new Set(resolved.flatMap(({ output }) => output));
  const read = new Set(resolved.flatMap(({ input }) => input));
  const outputOf = outputsOf(resolved, rules, read);
  const origins = new Map<ValueMap, ResolvedJob>();
  const jobs = resolved.map((job) => {
    const rule = rules.get(job.rule);
    const measured = job.benchmark.filter((each) => read.has(each));
    const isOfSnakemake = needsSnakemake(job, rule) || measured.length > 0;
    reportJob(job, rule, isOfSnakemake, report);
    const retries = retriesOf(rule, usual) ?? 0;
    const attempts = laterOf(job, retries);
    // Snakemake makes the attempts in the job itself: there has to be room for the last one.
    const asked = needs.nameOf(requirementsOf((isOfSnakemake ? attempts.at(-1) : undefined) ?? job));
    const handler = handlers.nameOf(
      isOfSnakemake ? undefined : handlerOf(job, rule, { retries, later: attempts }, report),
    );
    const held = licenses.heldBy(job, attempts, rule);
    const env = isOfSnakemake
      ? {}
      : { ...(job.threads > 1 ? environmentOfThreads(job.threads) : {}), ...environmentOfTmpdir(job, rule) };
    // A log need not be written, unless another job reads it.
    const outputs = [...job.output, ...job.log.filter((each) => read.has(each)), ...measured];
    const entry: ValueMap = {
      name: unique([job.rule, ...job.wildcards.values()].join('_')),
      command: isOfSnakemake ? bySnakemake(job, rule, path) : byShell(job, rule),
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(job.priority === undefined ? {} : { priority: job.priority }),
      ...(held === undefined ? {} : { licenses: held }),
      ...(asked === undefined ? {} : { resource_requirements: asked }),
      ...(handler === undefined ? {} : { failure_handler: handler }),
      ...(job.input.length === 0 ? {} : { inputs: job.input }),
      ...(outputs.length === 0 ? {} : { outputs: outputs.map(outputOf) }),
    };
    origins.set(entry, job);
    return entry;
  });
  const limits = licenses.limits();
  if (made.size === 0) report.note('no output', 'no rule writes a file, so no job waits for another one');
  const workflow: ValueMap = {
    name: path.replace(/^.*\//, ''),
    env: environmentOfThreads(1),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    jobs,
    ...(needs.entries.length === 0 ? {} : { resource_requirements: needs.entries }),
    ...(handlers.entries.length === 0 ? {} : { failure_handlers: handlers.entries }),
  };
  return { workflow: foldFamilies(workflow, (job) => origins.get(job)), notes: report.notes };
}

/** An output with the fate of `temp()` where a job reads it, because Snakemake keeps a target, or of `protected()`. */
function outputsOf(
  jobs: readonly ResolvedJob[],
  rules: ReadonlyMap<string, WrittenRule>,
  read: ReadonlySet<string>,
): (path: string) => Value {
  const marked = (of: typeof temporaryOf) =>
    new Set(jobs.flatMap(({ rule, output }) => of(rules.get(rule)?.text ?? '', output) ?? []));
  const [temporary, guarded] = [marked(temporaryOf), marked(protectedOf)];
  return (path) => {
    if (guarded.has(path)) return { path, protected: true };
    return temporary.has(path) && read.has(path) ? { path, temporary: true } : path;
  };
}

/** Snakemake prints jobs in another order each time: the same Snakefile becomes the same file by the order of its rules. */
function inOrder(jobs: readonly ResolvedJob[], rules: ReadonlyMap<string, WrittenRule>): readonly ResolvedJob[] {
  const places = new Map([...rules.keys()].map((rule, place) => [rule, place]));
  const placeOf = ({ rule }: ResolvedJob) => places.get(rule) ?? places.size;
  const valuesOf = ({ wildcards }: ResolvedJob) => [...wildcards.values()];
  return jobs.toSorted(
    (a, b) =>
      placeOf(a) - placeOf(b) ||
      BY_NUMBERS.compare(a.rule, b.rule) ||
      byNumbers(valuesOf(a), valuesOf(b)) ||
      BY_NUMBERS.compare(jobKey(a), jobKey(b)),
  );
}

/** By the first values that differ. */
function byNumbers(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((value, place) => value !== other[place]);
  const [a = '', b = ''] = [one[at], other[at]];
  return BY_NUMBERS.compare(a, b) || (a < b ? -1 : 1) * Number(a !== b);
}

const BY_NUMBERS = new Intl.Collator('en', { numeric: true });

/** Entries that jobs share, numbered as they are first needed. */
function sharedEntries(prefix: string): {
  readonly entries: ValueMap[];
  readonly nameOf: (entry: ValueMap | undefined) => string | undefined;
} {
  const entries: ValueMap[] = [];
  const names = new Map<string, string>();
  return {
    entries,
    nameOf(entry) {
      if (entry === undefined) return undefined;
      const key = JSON.stringify(entry);
      const name = names.get(key) ?? `${prefix}_${names.size + 1}`;
      if (!names.has(key)) entries.push({ name, ...entry });
      names.set(key, name);
      return name;
    },
  };
}
