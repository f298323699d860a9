import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder, torc } from '../support/programs.ts';

const FLOW = `
name: causes
resource_monitor: {sample_interval_seconds: 1, jobs: {enabled: true}}
resource_requirements:
  - {name: little, num_cpus: 1, memory: 64m, runtime: PT5M}
jobs:
  - {name: greedy, command: 'head -c 200m /dev/zero | tail | sleep 600', resource_requirements: little}
  - {name: forgets, command: 'true', resource_requirements: little, output_files: [made]}
  - {name: exits, command: 'exit 1', resource_requirements: little}
  - {name: works, command: 'true', resource_requirements: little}
files: [{name: made, path: made.txt}]
`;

interface Listed {
  readonly id: number;
  readonly job_name: string;
  readonly causes?: readonly { readonly code: string; readonly message: string }[];
}

it('results say that a job was killed for its memory, and which output was not written, and no other cause', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'causes.yaml'), FLOW);
  await torc(['-s', 'run', 'causes.yaml'], { cwd: folder });
  const call = async (...args: string[]) => (await torc(['-s', ...args], { cwd: folder })).stdout;

  const { items } = JSON.parse(await call('-f', 'json', 'results', 'list', '1')) as { items: Listed[] };
  const causes = Object.fromEntries(items.map((each) => [each.job_name, each.causes]));
  expect(causes).toEqual({
    greedy: [{ code: 'out_of_memory', message: expect.stringMatching(/^it used [\d.]+ of 64 MiB$/) }],
    forgets: [{ code: 'missing_output', message: 'made.txt was not written' }],
    exits: undefined,
    works: undefined,
  });

  const table = await call('results', 'list', '1');
  expect(table).toMatch(/│ Cause +│/);
  expect(table).toMatch(/ greedy .* it used [\d.]+ of 64 MiB +│/);
  expect(await call('results', 'list', '1', '-s', 'completed')).not.toContain('Cause');
  // CSV has the columns of Torc.
  expect((await call('-f', 'csv', 'results', 'list', '1')).split('\n')[0]).toMatch(/,Status$/);

  const forgets = items.find((each) => each.job_name === 'forgets')?.id;
  expect(await call('results', 'get', String(forgets))).toContain('Cause: made.txt was not written');
  const works = items.find((each) => each.job_name === 'works')?.id;
  expect(await call('results', 'get', String(works))).not.toContain('Cause');
}, 180_000);
