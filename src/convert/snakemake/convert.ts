import { Refusal } from '../../core/contract/refusals.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import { reportOf, type Conversion } from '../conversion.ts';
import { fileEntries } from '../file-names.ts';
import { uniqueNames } from '../unique-names.ts';
import { bySnakemake, byShell, needsSnakemake } from './command.ts';
import { readDryRun } from './dry-run.ts';
import { reportFiles, reportHidden, reportJob } from './reports.ts';
import { requirementsOf } from './requirements.ts';
import { readRules, type Snakefile } from './rules.ts';

/** What Snakemake printed, and the files that it read. */
export interface SnakemakeRun {
  /** The Snakefile, then those that it includes. */
  readonly files: readonly [Snakefile, ...Snakefile[]];
  readonly printed: string;
}

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
