import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { definitionNames, type JobFieldName } from '../src/core/job/fields.ts';

/**
 * A field of a job costs an entry in the table of fields, a migration, and what really uses it. A place that lists fields again is
 * refused here: it would have to be found for each field that comes.
 */

const root = resolve(import.meta.dirname, '..');
const sources = globSync(['src/**/*.{ts,tsx}', 'scripts/**/*.ts', 'migrations/*.sql', 'python/**/*.py'], { cwd: root })
  .filter((path) => !/\.gen\.ts$|\.test\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(resolve(root, path), 'utf8') }));

const camelCase = (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** The files that are written by hand and that name a field. */
function filesNaming(name: JobFieldName): string[] {
  const named = new RegExp(`\\b(?:${name}|${camelCase(name)})\\b`);
  return sources.filter(({ text }) => named.test(text)).map(({ path }) => path);
}

it('a field that has no effect stands in the table of fields, its migration, and at most two files more', () => {
  const files = filesNaming('supports_termination');
  expect(files).toEqual(expect.arrayContaining(['src/core/job/fields.ts', 'migrations/0001_jobs.sql']));
  expect(files.length).toBeLessThanOrEqual(4);
});

it('a field that has an effect stands where it is used as well', () => {
  expect(filesNaming('cancel_on_blocking_job_failure')).toContain('src/server/records/edges/release.ts');
});

/** Fields that one file may name because it uses them: the jobs that a job adds have four. */
const USED = 4;

it('no other file lists the fields that define a job', () => {
  const own = definitionNames.filter((name) => name !== 'name' && name !== 'command');
  const counts = new Map<string, number>();
  for (const name of own) for (const path of filesNaming(name)) counts.set(path, (counts.get(path) ?? 0) + 1);
  const listing = [...counts].filter(([path, count]) => path.startsWith('src/') && count > USED).map(([path]) => path);
  // The shape of a file gives them their order in the schema for editors and in the reference.
  expect(listing.toSorted()).toEqual(['src/core/job/fields.ts', 'src/core/workflow-file/shape/job.ts']);
});
