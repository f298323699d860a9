import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

const FLOW = `name: paths
parameters: { sample: '[b, a]' }
jobs:
  - name: merge
    inputs: [./sorted/a.txt, { path: sorted/b.txt, name: second }]
    outputs: [out/all.txt]
    command: sort -m \${input.0} \${input.second} > \${output.txt}
  - name: sort_{sample}
    use_parameters: [sample]
    inputs: ['raw_{sample}.txt']
    outputs: ['sorted/{sample}.txt']
    command: sort \${input.0} > \${output.0}
`;

it('jobs with paths run in the order of their files, and an export has the files as records, which another server takes', async () => {
  const folder = temporaryFolder();
  const { url, client } = await startServer(folder);
  const call = (...words: string[]) => torc(['--url', url, ...words], { cwd: folder });
  writeFileSync(join(folder, 'flow.yaml'), FLOW);
  writeFileSync(join(folder, 'raw_a.txt'), '3\n1\n');
  writeFileSync(join(folder, 'raw_b.txt'), '2\n');
  const { code, stderr } = await call('run', 'flow.yaml');
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('warning')]);
  expect(readFileSync(join(folder, 'out/all.txt'), 'utf8')).toBe('1\n2\n3\n');
  const { items } = await client.listFiles({ query: { workflow_id: 1 } });
  const paths = ['./sorted/a.txt', 'sorted/b.txt', 'out/all.txt', 'raw_b.txt', 'raw_a.txt'];
  expect(items.map(({ name, path }) => [name, path])).toEqual(paths.map((path) => [path, path]));

  writeFileSync(join(folder, 'raw_b.txt'), '5\n4\n');
  expect((await call('run', '1', '--update')).code).toBe(0);
  expect(readFileSync(join(folder, 'out/all.txt'), 'utf8')).toBe('1\n3\n4\n5\n');

  expect((await call('workflows', 'export', '1', '-o', 'w.json')).code).toBe(0);
  const text = readFileSync(join(folder, 'w.json'), 'utf8');
  expect(text).not.toMatch(/"(?:inputs|outputs)"/);
  const other = await startServer(temporaryFolder());
  expect((await torc(['--url', other.url, 'workflows', 'import', join(folder, 'w.json')], { cwd: folder })).code).toBe(
    0,
  );
  const imported = (await other.client.listFiles({ query: { workflow_id: 1 } })).items;
  expect(imported.map(({ path }) => path)).toEqual(paths);
});
