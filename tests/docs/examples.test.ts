import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { programFolder } from '../support/packed.ts';
import { temporaryFolder, torc } from '../support/programs.ts';
import { leftJobs } from '../support/standalone.ts';

const root = resolve(import.meta.dirname, '../..');

interface Expected {
  readonly statuses: Readonly<Record<string, number>>;
  /** What a job printed. */
  readonly prints?: readonly (readonly [job: number, text: RegExp])[];
}

const hello: Expected = {
  statuses: { completed: 3 },
  prints: [
    [1, /^hello Ada\n$/],
    [3, /^bye\n$/],
  ],
};

const examples: Readonly<Record<string, Expected>> = {
  'diamond.yaml': { statuses: { completed: 4 }, prints: [[4, /^5050 338350\n$/]] },
  'sweep.yaml': { statuses: { completed: 13 }, prints: [[13, /^0\.0\d+ 3\.1\d+ \d \d+\n$/]] },
  'pipeline.yaml': { statuses: { completed: 8 }, prints: [[8, /^the total is right\n$/]] },
  'failing.yaml': {
    statuses: { failed: 1, canceled: 1, completed: 1 },
    prints: [
      [1, /^working\n$/],
      [3, /^cleaned up\n$/],
    ],
  },
  'user-data.yaml': {
    statuses: { completed: 3 },
    prints: [
      [2, /""threshold"":7/],
      [3, /^\{"unit":"km","factor":1\.609\}\n$/],
    ],
  },
  'formats/hello.yaml': hello,
  'formats/hello.json': hello,
  'formats/hello.json5': hello,
  'formats/hello.kdl': hello,
};

it('every example is run here', () => {
  const there = ['', 'formats/'].flatMap((folder) =>
    readdirSync(join(root, 'examples', folder))
      .filter((name) => name.includes('.'))
      .map((name) => folder + name),
  );
  expect(there.sort()).toEqual(Object.keys(examples).sort());
});

it.each(Object.entries(examples))('the example %s does what it says', async (name, { statuses, prints = [] }) => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'bin'));
  writeFileSync(
    join(cwd, 'bin/torc'),
    `#!/bin/sh\nexec '${process.execPath}' '${join(programFolder(), 'torc.mjs')}' "$@"\n`,
    {
      mode: 0o755,
    },
  );
  cpSync(join(root, 'examples'), join(cwd, 'examples'), { recursive: true });
  const environment = { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}` };
  const ran = await torc(['-s', 'run', `examples/${name}`], { cwd, environment });
  expect(ran.code, ran.stderr).toBe(0);
  const jobs = Object.groupBy(await leftJobs(cwd), ({ status }) => String(status));
  const counts = Object.fromEntries(Object.entries(jobs).map(([status, found]) => [status, found?.length]));
  expect(counts, ran.stderr).toEqual(statuses);
  for (const [job, text] of prints) {
    expect(readFileSync(join(cwd, `torc_output/job_stdio/job_wf1_j${job}_r1_a1.o`), 'utf8')).toMatch(text);
  }
});
