import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { start, temporaryFolder } from '../support/programs.ts';

/** What people reported of other engines that start more on a machine than it has: the report, the runs, and the most CPUs in use. */
interface Reported {
  readonly cpus: number;
  readonly options?: readonly (readonly string[])[];
  readonly more?: string;
  readonly most: number;
}

const REPORTED: readonly (readonly [string, Reported])[] = [
  ['https://github.com/snakemake/snakemake/issues/659 (jobs of all cores start at once)', { cpus: 2, most: 2 }],
  [
    'https://github.com/snakemake/snakemake/issues/1530 (two jobs of a program use the cores twice)',
    { cpus: 1, options: [[], []], most: 2 },
  ],
  [
    'https://github.com/bactopia/bactopia/issues/123 (a bound for all of a run on a node that others use)',
    { cpus: 1, options: [['--num-cpus', '1']], most: 1 },
  ],
];

test.each(REPORTED)(
  'no more runs than there is room for in %s',
  async (_, { cpus, options = [[]], more = '', most }) => {
    const folder = temporaryFolder();
    const log = join(folder, 'log');
    const say = (sign: string) => `echo "${sign}${cpus} $(date +%s%N)" >> ${log}`;
    writeFileSync(
      join(folder, 'flow.yaml'),
      `name: w
resource_requirements: [{name: r, num_cpus: ${cpus}, memory: 1m}]
jobs: [{name: "j_{i}", parameters: {i: "1:4"}, resource_requirements: r, command: '${say('+')}; sleep 0.1; ${say('-')}'${more}}]
`,
    );
    const environment = {
      TORC_SHARE: join(folder, 'share'),
      TORC_RUNNER_MARK: 'outer',
      TORC_JOB_SHARE: JSON.stringify({ of: folder, has: { cpus: 2 } }),
    };
    const runs = options.map((each, index) =>
      start('torc', ['-s', '--db', `${index}.db`, 'run', 'flow.yaml', ...each], { cwd: folder, environment }),
    );
    for (const { ended } of runs) expect((await ended).stderr).toContain('4 jobs completed');
    const changes = readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ').map(Number) as [number, number]);
    changes.sort(([less, one], [more_, other]) => one - other || less - more_);
    let now = 0;
    expect(Math.max(...changes.map(([change]) => (now += change)))).toBe(most);
  },
);
