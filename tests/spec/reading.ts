import { dryRunReport, type DryRunReport } from '../../src/core/workflow-file/read/dry-run.ts';
import type { Plan, PlannedJob } from '../../src/core/workflow-file/plan/plan.ts';
import type { Problem } from '../../src/core/workflow-file/problems/problems.ts';
import { planOfSpec, readSpec, type SpecReading } from '../../src/core/workflow-file/read/read.ts';
import { each } from '../../src/core/lists/sequence.ts';
import type { SpecFormat } from '../../src/core/workflow-file/text/read-text.ts';

/** Files that a workflow may name, by path. */
export type Files = Readonly<Record<string, string>>;

const readFileOf =
  (files: Files) =>
  (path: string): string => {
    const text = files[path];
    if (text === undefined) throw new Error('No such file or directory');
    return text;
  };

/** Reads a workflow given as text, YAML unless said otherwise. */
export const readText = (text: string, format: SpecFormat = 'yaml', files: Files = {}, strict = false): SpecReading =>
  readSpec({ text, name: `flow.${format}`, format }, { readFile: readFileOf(files), strict });

/** Reads a workflow given as an object; `name` and `jobs` may be left out. */
export const read = (spec: object, files: Files = {}): SpecReading =>
  planOfSpec({ name: 'flow', jobs: [], ...spec }, 'flow.yaml', { readFile: readFileOf(files) });

/** The lines that a dry run would print as errors. */
export const errorsOf = (spec: object, files: Files = {}): readonly string[] => report(spec, files).errors;

export const report = (spec: object, files: Files = {}): DryRunReport => dryRunReport(read(spec, files));

/** The problems of a reading, warnings too, as code and place. */
export const codesOf = ({ problems }: SpecReading): string[] =>
  problems.map(({ code, path }: Problem) => (path === '' ? code : `${code} ${path}`));

/** The plan of a workflow that must be right. */
export function planned(spec: object, files: Files = {}): Plan {
  const reading = read(spec, files);
  const errors = reading.problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  if (reading.plan === undefined || errors.length > 0) throw new Error(errors.join('\n'));
  return reading.plan;
}

export const jobsOf = (spec: object, files: Files = {}): PlannedJob[] => [...each(planned(spec, files).jobs)];

/** The names of the jobs that one job with these fields becomes. */
export const namesOf = (job: object, more: object = {}, files: Files = {}): string[] =>
  jobsOf({ ...more, jobs: [{ command: 'true', ...job }] }, files).map(({ name }) => name);
