import { formatMemory } from '../../core/quantity/bytes.ts';
import { formatRuntime } from '../../core/quantity/duration.ts';
import { greatest } from '../../core/quantity/extremes.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import type { Report } from '../conversion.ts';
import { jobKey, type ResolvedJob } from './dry-run.ts';
import { gpusOf, memoryBytesOf, runtimeSecondsOf } from './requirements.ts';
import { hasAttempt, numberBehind, readRules, type Snakefile, type WrittenRule } from './rules.ts';

/** Attempts that Snakemake is asked for: each is a dry run of its own, which takes minutes for many jobs. */
const MOST_ATTEMPTS = 6;

/** The retries of rules that say nothing of them, by the profiles that Snakemake read. The last one counts. */
export function usualRetries(profiles: readonly Snakefile[]): number {
  const found = profiles.map(({ text }) => /^(?:retries|restart-times)\s*:\s*["']?(\d+)/m.exec(text)?.[1]);
  return Number(found.findLast((each) => each !== undefined) ?? 0);
}

/** Undefined if a program makes the number. */
export const retriesOf = (rule: WrittenRule | undefined, usual: number): number | undefined =>
  rule?.directives.has('retries') === true ? numberBehind(rule, 'retries') : usual;

/** How many attempts of jobs have to be asked for: more than one if a value may depend on `attempt`. */
export function attemptsToAsk(files: readonly Snakefile[], profiles: readonly Snakefile[]): number {
  if (![...files, ...profiles].some(({ text }) => hasAttempt(text))) return 1;
  const usual = usualRetries(profiles);
  const retries = [...readRules(files).values()].map((rule) => retriesOf(rule, usual) ?? 0);
  return Math.min(MOST_ATTEMPTS, 1 + greatest([usual, ...retries]));
}

/** The attempts of each job after its first one, by the output of a dry run for each. */
export function laterAttempts(
  dryRuns: readonly (readonly ResolvedJob[])[],
): (job: ResolvedJob, retries: number) => readonly ResolvedJob[] {
  const byKey = dryRuns.map((jobs) => new Map(jobs.map((job) => [jobKey(job), job])));
  return (job, retries) => byKey.slice(0, retries).flatMap((jobs) => jobs.get(jobKey(job)) ?? []);
}

/**
 * A failure handler that does what `retries` does: further attempts whatever the exit code, with the memory and the runtime that
 * Snakemake gives to each.
 *
 * Snakemake gives them after any failure, Torc after one for memory or time: for other failures they make no difference.
 */
export function handlerOf(
  job: ResolvedJob,
  rule: WrittenRule | undefined,
  { retries, later }: { readonly retries: number; readonly later: readonly ResolvedJob[] },
  report: Report,
): ValueMap | undefined {
  if (retries === 0) return undefined;
  const attempts = retries + 1;
  const all = [job, ...later];
  const differs = (valueOf: (each: ResolvedJob) => unknown) => all.some((each) => valueOf(each) !== valueOf(job));
  const at = [rule?.line, rule?.file] as const;
  if (differs(({ shell }) => shell))
    report.leaveOut(`the command of rule ${job.rule} by attempt`, 'each attempt has the command of the first', ...at);
  if (differs(({ threads }) => threads) || differs(gpusOf))
    report.leaveOut(`threads or GPUs of rule ${job.rule} by attempt`, 'each attempt has those of the first', ...at);
  const memory = raiseOf('memory', memoryBytesOf, formatMemory);
  const runtime = raiseOf('runtime', runtimeSecondsOf, formatRuntime);
  return {
    rules: [{ match_all_exit_codes: true, max_retries: attempts }],
    ...(memory === undefined ? {} : { on_oom: { memory: memory.factor, max: memory.max, max_retries: attempts } }),
    ...(runtime === undefined
      ? {}
      : { on_timeout: { runtime: runtime.factor, max: runtime.max, max_retries: attempts } }),
  };

  function raiseOf(
    what: string,
    valueOf: (each: ResolvedJob) => number | undefined,
    format: (value: number) => string,
  ): { readonly factor: string; readonly max: string } | undefined {
    if (!differs(valueOf)) return undefined;
    const values = all.map(valueOf);
    const steps = values.slice(1).map((value, index) => (value ?? 0) / (values[index] ?? 0));
    if (!steps.every((step) => Number.isFinite(step) && step >= 1)) {
      report.leaveOut(`${what} of rule ${job.rule} by attempt`, 'it falls, and a handler only raises it', ...at);
      return undefined;
    }
    report.note(
      `${what} of rule ${job.rule} by attempt`,
      `it is raised for a job that ran out of it; other failures leave it as it is`,
      ...at,
    );
    // What a handler accepts; `max` holds the amount of the last attempt.
    const factor = Math.min(100, greatest([1.1, ...steps]));
    return { factor: `x${Math.ceil(factor * 100) / 100}`, max: format(values.at(-1) ?? 0) };
  }
}
