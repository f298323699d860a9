import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc } from '../support/programs.ts';

/**
 * What public reports say of other programs that were asked for some jobs only, or to take files as made. Each row names the report, what
 * happens, and the jobs that have run after it, with how often; a last update runs nothing.
 */

const FLOW = `name: field
files: [{ name: raw, path: raw }, { name: a, path: a }, { name: b, path: b }, { name: c, path: c }]
jobs:
  - { name: a, command: 'cat raw > a', input_files: [raw], output_files: [a] }
  - { name: b, command: 'cat a > b', input_files: [a], output_files: [b] }
  - { name: c, command: 'cat a b > c', input_files: [a, b], output_files: [c] }
`;

let folder: string;
let server: RunningServer;
const at = (name: string) => join(folder, name);
const run = (...words: string[]) => torc(['--url', server.url, 'run', 'flow.yaml', ...words], { cwd: folder });
const later = (name: string) => utimesSync(at(name), Date.now() / 1000 + 10, Date.now() / 1000 + 10);
const ran = async () => {
  const { items } = await server.client.listResults({ query: { workflow_id: 1, all_runs: true } });
  const own = items.filter(({ cause_code: cause }) => cause !== 'adopted');
  const byName = Map.groupBy(own, ({ job_name: name }) => name as string);
  return Object.fromEntries([...byName].map(([name, all]) => [name, all.length]));
};

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  writeFileSync(at('raw'), 'x\n');
  writeFileSync(at('flow.yaml'), FLOW);
});

type Row = [report: string, act: () => Promise<unknown>, expected: Record<string, number>];

it.each<Row>([
  [
    'https://github.com/snakemake/snakemake/issues/4166 (9.19: two targets, and only the first ran; the second one the next time)',
    async () => {
      await run('--yes');
      later('raw');
      await run('--only', 'a', '--only', 'c');
    },
    { a: 2, b: 2, c: 2 },
  ],
  [
    'https://github.com/snakemake/snakemake/issues/1964 (7: what --until had made was made again by the whole run)',
    async () => {
      await run('--only', 'b');
      await run('--update');
    },
    { a: 1, b: 1, c: 1 },
  ],
  [
    'https://github.com/snakemake/snakemake/issues/2223 (7.25: of the jobs behind one that was forced, only the first ran)',
    async () => {
      await run('--yes');
      await run('--force', 'a');
    },
    { a: 2, b: 2, c: 2 },
  ],
  [
    'https://github.com/snakemake/snakemake/issues/1680 (7.8: --touch said that a job was done whose output was missing)',
    async () => {
      for (const name of ['a', 'b']) writeFileSync(at(name), 'x\n');
      expect((await run('--touch')).stdout).toMatch(/c +│ c is missing/u);
      await run('--update');
    },
    { c: 1 },
  ],
  [
    'https://github.com/snakemake/snakemake/issues/1028 (6.4: --touch failed where a temporary file was gone)',
    async () => {
      writeFileSync(at('c'), 'x\n');
      expect((await run('--touch')).code).toBe(0);
    },
    {},
  ],
  [
    'https://github.com/snakemake/snakemake/issues/280 (5: a file that was made again made a week of jobs behind it run)',
    async () => {
      await run('--yes');
      rmSync(at('a'));
      writeFileSync(at('a'), 'x\n');
      later('a');
      await run('--touch');
    },
    { a: 1, b: 1, c: 1 },
  ],
])('%s', async (_, act, expected) => {
  await act();
  expect(await ran()).toEqual(expected);
  expect((await run('--update')).stderr).toContain('nothing to run: 3 up to date');
  expect(await ran()).toEqual(expected);
});
