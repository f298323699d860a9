/**
 * Writes out, from the table of a job's fields, what turns jobs into rows and back: a loop over the fields takes three to five times as long, and
 * every claim, list, creation and update does it for each job.
 */
import {
  columnNames,
  definitionNames,
  fieldOf,
  type JobFieldName,
  pageNames,
  relationNames,
} from '../src/core/job/fields.ts';
import { write } from './write-generated.ts';

const MADE = "// Made by scripts/gen-job-rows.ts from the table of a job's fields, src/core/job/fields.ts.\n";

/** The fields of an object literal, a line each. */
const literal = <Name extends JobFieldName>(names: readonly Name[], valueOf: (name: Name) => string) =>
  names.map((name) => `  ${name}: ${valueOf(name)},`).join('\n');

/** The value of a column that is not null, as the API has it. */
function readText(name: JobFieldName): string {
  const { kind } = fieldOf(name);
  if (kind === 'flag') return `row.${name} === 1`;
  if (kind === 'status') return `statusOf(row.${name})`;
  if (kind === 'texts') return `(JSON.parse(row.${name}) as string[])`;
  if (kind === 'amounts') return `(JSON.parse(row.${name}) as Record<string, number>)`;
  return kind === 'variables' ? `(JSON.parse(row.${name}) as Record<string, string>)` : `row.${name}`;
}

/** The value of a column, with what stands in place of none. */
function fieldText(name: JobFieldName, unset: string): string {
  const { isSet, none } = fieldOf(name);
  if (none !== undefined) return `row.${name} === ${none} ? ${unset} : ${readText(name)}`;
  if (isSet) return readText(name);
  const read = readText(name);
  return read === `row.${name}` ? `${read} ?? ${unset}` : `row.${name} === null ? ${unset} : ${read}`;
}

/** The value of a column, of what a request gives. */
function storedText(name: JobFieldName): string {
  const { kind, isSet, standard } = fieldOf(name);
  const given = `job.${name}`;
  if (kind === 'amounts') return `storedAmounts(${given})`;
  if (kind === 'texts' || kind === 'variables') return `storedJson(${given})`;
  if (kind === 'flag' && isSet) return `Number(${given} ?? ${standard})`;
  if (kind === 'flag') return `typeof ${given} === 'boolean' ? Number(${given}) : null`;
  if (kind === 'text') return isSet ? given : `${given} || null`;
  return `${given} ?? ${standard ?? null}`;
}

write(
  'src/server/records/rows/job.gen.ts',
  `${MADE}import { type Job, statusOf } from '../../../core/contract/job.ts';
import { storedAmounts } from '../amounts.ts';
import type { Definition, JobRow, StoredDefinition } from './job.ts';

/** A job as assigned to a runner: unset fields are left out. */
export const claimedJobOf = (row: JobRow): Job & { attempt_id: number } => ({
${literal(
  columnNames.filter((name) => !fieldOf(name).isKeptFromRunners),
  (name) => fieldText(name, 'undefined'),
)}
});

/** A job as the API returns it: unset fields are zeros and empty strings where clients of Torc 1.0.0 rely on it. */
export const jobOf = (row: JobRow): Job => ({
${literal(columnNames, (name) => fieldText(name, JSON.stringify(fieldOf(name).unset) ?? 'undefined').replaceAll('"', "'"))}
});

/** A list or variables as JSON; null for none. */
const storedJson = (value: object | null | undefined): string | null =>
  !value || Object.keys(value).length === 0 ? null : JSON.stringify(value);

/** What a request gives of a job itself, as its columns have it. */
export const definitionRow = (job: Definition): StoredDefinition => ({
${literal(definitionNames, storedText)}
});
`,
);

write(
  'src/client/job-of-columns.gen.ts',
  `${MADE}import type { JobColumns } from '../core/contract/plan-columns.ts';
import type { StoredJob } from '../core/workflow-file/update/stored.ts';

/** An earlier version of the server does not send every column: then no job has a value. */
const at = <Value>(column: readonly Value[] | undefined, index: number) =>
  (column === undefined ? null : column[index]) as Value;

/** A job of a page of columns. */
export const jobOfColumns = (of: JobColumns, index: number): StoredJob => ({
${literal([...pageNames, ...relationNames], (name) => `at(of.${name}, index)`)}
  result_id: at(of.result_id, index),
});
`,
);
