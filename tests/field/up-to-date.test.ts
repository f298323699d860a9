import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc } from '../support/programs.ts';

/**
 * What public reports say of other programs that ran too much or too little after a change. Each row names the report, what happened
 * between two runs, and the jobs that run in the second one; nothing runs in a third.
 */

/** `made` is a folder that one job makes and a later one writes into; `given` holds what people put there. */
const flow = (first: string) => `name: field
files:
  - { name: raw, path: raw }
  - { name: hello, path: hello }
  - { name: bye, path: bye }
  - { name: made, path: made }
  - { name: part, path: part }
  - { name: whole, path: made/whole }
  - { name: given, path: given }
  - { name: list, path: list }
jobs:
  - { name: hello, command: '${first}', input_files: [raw], output_files: [hello] }
  - { name: bye, command: 'cat hello > bye', input_files: [hello], output_files: [bye] }
  - { name: quiet, command: 'cat hello', input_files: [hello] }
  - { name: make, command: 'mkdir -p made && touch made/0', output_files: [made] }
  - { name: part, command: 'ls made > part', input_files: [made], output_files: [part] }
  - { name: whole, command: 'cat part > made/whole', input_files: [made, part], output_files: [whole] }
  - { name: list, command: 'ls given > list', input_files: [given], output_files: [list] }
`;

let folder: string;
let server: RunningServer;
const at = (name: string) => join(folder, name);
const call = (...words: string[]) => torc(['--url', server.url, ...words], { cwd: folder });
const later = (name: string) => utimesSync(at(name), Date.now() / 1000 + 10, Date.now() / 1000 + 10);
const ran = async () => {
  const { items } = await server.client.listResults({ query: { workflow_id: 1, all_runs: true } });
  const byName = Map.groupBy(items, (each) => each.job_name as string);
  return [...byName].flatMap(([name, all]) => (all.length > 1 ? [name] : [])).toSorted();
};

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  writeFileSync(at('raw'), '');
  mkdirSync(at('given'));
  writeFileSync(at('given/a'), '');
  writeFileSync(at('flow.yaml'), flow('cat raw > hello'));
  expect((await call('run', 'flow.yaml')).stderr).toContain('7 jobs completed');
});

type Row = [report: string, change: () => unknown, again: readonly string[], words?: readonly string[]];

it.each<Row>([
  ['https://github.com/snakemake/snakemake/issues/1677 (7.8: jobs ran again whose outputs were there)', () => {}, []],
  [
    'https://github.com/snakemake/snakemake/issues/4134 (9.18: an input that was touched made nothing run)',
    () => later('hello'),
    ['bye', 'quiet'],
  ],
  [
    'https://github.com/snakemake/snakemake/issues/2011 (7: an empty file that was touched made nothing run)',
    () => later('raw'),
    ['bye', 'hello', 'quiet'],
  ],
  [
    'https://github.com/snakemake/snakemake/issues/3095 (8.11: what depends on a forced step was up to date)',
    () => {},
    ['bye', 'hello', 'quiet'],
    ['--force', 'hello'],
  ],
  [
    'https://github.com/EngreitzLab/scE2G/pull/112 (a dry run alone made 130 of 159 jobs out of date)',
    async () => {
      await call('run', 'flow.yaml', '--update', '--dry-run');
      await call('run', '1', '--dry-run');
    },
    [],
  ],
  [
    'https://github.com/nextflow-io/nextflow/issues/229 (0.22: a process without outputs ran again)',
    () => rmSync(at('bye')),
    ['bye'],
  ],
  [
    'https://github.com/nextflow-io/nextflow/issues/949 (18.10: a folder that a later process wrote into was a new one)',
    () => later('made'),
    [],
  ],
  [
    'https://github.com/nextflow-io/nextflow/issues/4106 (23.04: a changed script was taken from the cache)',
    () => writeFileSync(at('flow.yaml'), flow('cat raw raw > hello')),
    ['bye', 'hello', 'quiet'],
  ],
  ['a folder that people fill: a file came', () => writeFileSync(at('given/b'), '') ?? later('given'), ['list']],
])('%s', async (_, change, again, words = []) => {
  await change();
  await call('run', 'flow.yaml', '--update', ...words);
  expect(await ran()).toEqual(again);
  expect((await call('run', 'flow.yaml', '--update')).stderr).toContain('nothing to run: 7 up to date');
});
