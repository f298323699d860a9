import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

const flow = `name: pipe
jobs:
  - { name: prepare, command: 'true' }
  - { name: 'align_{i}', command: 'test {i} != 7', parameters: { i: '1:40' }, depends_on: [prepare] }
  - { name: 'call_{i}', command: 'true', parameters: { i: '1:40' }, depends_on: ['align_{i}'] }
  - { name: collect, command: 'true', depends_on_regexes: ['^call_'] }
`;

let call: (...words: string[]) => ReturnType<typeof torc>;

beforeAll(async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  writeFileSync(join(folder, 'flow.yaml'), flow);
  writeFileSync(join(folder, 'one.yaml'), "name: one\njobs: [{ name: only, command: 'true' }]\n");
  call = (...words) => torc(['--url', server.url, ...words], { cwd: folder });
  await call('run', 'flow.yaml');
});

const PICTURE = ['● prepare   1', '● align_#  40', '● call_#   40', '● collect   1'];

it('the graph of a file has a line a family, without a server', async () => {
  const { stdout } = await call('--url', 'http://127.0.0.1:1', 'workflows', 'graph', 'flow.yaml');
  expect(stdout).toBe(`Graph of pipe: 82 jobs in 4 families\n\n${PICTURE.join('\n')}\n`);
});

it('the graph of a workflow shows how far each family is, by its name as by its id', async () => {
  const { stdout } = await call('workflows', 'graph', 'pipe');
  const states = [
    '1 completed',
    '39 completed, 1 failed',
    '39 completed, 1 stopped (canceled)',
    '1 stopped (canceled)',
  ];
  expect(stdout.split('\n').slice(2, 6)).toEqual(PICTURE.map((line, index) => `${line}  ${states[index]}`));
  expect((await call('workflows', 'graph', '1')).stdout).toBe(stdout);
});

it('as JSON the graph has its families and edges, of a file with the keys of the workflow', async () => {
  const [file, workflow] = await Promise.all(
    ['flow.yaml', '1'].map(async (given) => JSON.parse((await call('-f', 'json', 'workflows', 'graph', given)).stdout)),
  );
  expect(workflow).toMatchObject({ workflow_id: 1, name: 'pipe', families_left_out: 0, jobs_left_out: 0 });
  const keys = ({ families }: { families: { key: string }[] }) => families.map(({ key }) => key);
  expect(keys(file)).toEqual(keys(workflow));
  expect(file.edges).toHaveLength(3);
});

it('an execution plan has a few events of families, and each event only with --all', async () => {
  const few = (await call('workflows', 'execution-plan', 'flow.yaml')).stdout;
  expect(few.split('\n').filter((line) => line.endsWith(')') || line.endsWith('#'))).toEqual([
    '  ready: align_# (40 jobs)',
    '  then: after_align_# (40 events)',
    '  ready: call_# (40 jobs)',
    "after_call_jobs: When 40 jobs complete ('call_1', 'call_2'...)",
  ]);
  const all = (await call('workflows', 'execution-plan', 'flow.yaml', '--all')).stdout;
  expect(all.match(/^after_align_\d+: /gm)).toHaveLength(40);
  expect(all).toContain('align_39, align_40');
});

it('the status shows the families of a workflow that has several, and of one job only the counts', async () => {
  expect((await call('status', '1')).stdout).toContain('Job Families:\n  ● prepare   1  1 completed\n');
  await call('create', 'one.yaml');
  expect((await call('status', 'one')).stdout).not.toContain('Job Families');
});
