import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { valueIn } from '../../src/cluster/host/environment-of.ts';
import { processesWhere } from '../../src/cluster/host/marked.ts';
import { jobShareOf } from '../../src/core/lifecycle/share/job-share.ts';
import { isCi } from '../support/in-ci.ts';
import { type Program, start, temporaryFolder, torc, until } from '../support/programs.ts';
import { random } from '../support/random.ts';

/** Standalone runs of one user share the machine: `docs/how-to/licences-and-limits.md`. */

const SEEDS = Array.from({ length: Number(process.env['TORC_SEEDS'] ?? (isCi ? 2 : 1)) }, (_, index) => index + 1);

/** Two CPUs, whatever this machine has: as if the runs stood in one job that has two. */
function twoCpus(folder: string): Record<string, string> {
  const of = join(folder, 'of');
  return {
    TORC_SHARE: join(folder, 'share'),
    TORC_RUNNER_MARK: 'outer',
    TORC_JOB_SHARE: JSON.stringify({ of, has: { cpus: 2 } }),
    LOG: join(folder, 'log'),
    OF: of,
  };
}

/** A job that says when it begins and ends. */
const saying = (command: string) =>
  `echo "+ $CPUS $(date +%s%N)" >> "$LOG"; ${command}; echo "- $CPUS $(date +%s%N)" >> "$LOG"`;

function flow(folder: string, name: string, jobs: number, command: string, more = ''): string {
  mkdirSync(join(folder, name), { recursive: true });
  const path = join(folder, name, 'flow.yaml');
  writeFileSync(
    path,
    `name: ${name}\njobs:\n  - {name: "j_{i}", parameters: {i: "1:${jobs}"}, command: '${command}'${more}}\n`,
  );
  return path;
}

/** The most CPUs that jobs used at once, by what they wrote. */
function mostAtOnce(folder: string): number {
  const lines = readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n');
  const marks = lines
    .map((line) => line.split(' '))
    .map(([sign, cpus, at]) => [Number(at), Number(`${sign}${cpus}`)] as const);
  // The clock of an end and of a start may show the same moment.
  marks.sort(([one, less], [other, more]) => one - other || less - more);
  let now = 0;
  return Math.max(...marks.map(([, change]) => (now += change)));
}

const run = (
  folder: string,
  name: string,
  environment: Record<string, string>,
  more: readonly string[] = [],
): Program =>
  start('torc', ['-s', 'run', 'flow.yaml', ...more], {
    cwd: join(folder, name),
    environment: { ...environment, CPUS: '1' },
  });

it('two runs beside each other on two CPUs never run more than two jobs of one CPU, and both make progress', async () => {
  const folder = temporaryFolder();
  const environment = twoCpus(folder);
  for (const name of ['one', 'other']) flow(folder, name, 12, saying('sleep 0.1'));
  const runs = ['one', 'other'].map((name) => run(folder, name, environment));
  for (const { ended } of runs) expect((await ended).stderr).toContain('12 jobs completed');
  expect(mostAtOnce(folder)).toBe(2);
  // Nothing is left of them: the file has no row, and no other file stands there.
  expect(readdirSync(environment['TORC_SHARE'] as string).filter((name) => name.endsWith('.db'))).toHaveLength(1);
});

it('a run with --max-parallel-jobs, or where sharing is off, starts jobs as if it were alone', async () => {
  const folder = temporaryFolder();
  const environment = twoCpus(folder);
  const command = `echo x >> "$OF"; while [ $(wc -l < "$OF") -lt 4 ]; do sleep 0.02; done`;
  for (const name of ['one', 'other']) flow(folder, name, 2, command);
  const runs = [
    run(folder, 'one', environment, ['-j', '2']),
    run(folder, 'other', { ...environment, TORC_SHARE: 'off' }, ['-j', '2']),
  ];
  for (const { ended } of runs) expect((await ended).stderr).toContain('2 jobs completed');
});

it('a run inside a job takes from what its job has, and does not wait for it', async () => {
  const folder = temporaryFolder();
  const environment = twoCpus(folder);
  flow(folder, 'inner', 3, saying('true'));
  const inner = `cd ${join(folder, 'inner')} && "$NODE" "$TORC" -s --db $TORC_JOB_NAME.db run flow.yaml`;
  flow(folder, 'outer', 2, inner.replaceAll('"', '\\"').replaceAll("'", "''").replaceAll('\\"', '"'));
  const bin = join(import.meta.dirname, '../../bin/torc.mjs');
  const { ended } = run(folder, 'outer', { ...environment, NODE: process.execPath, TORC: bin });
  const { stderr } = await ended;
  expect(stderr).toContain('2 jobs completed');
  expect(
    readFileSync(join(folder, 'log'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('-')),
  ).toHaveLength(6);
  // Each has one CPU, and so one job at a time.
  expect(mostAtOnce(folder)).toBeLessThanOrEqual(2);
});

it('a named limit counts over all standalone runs of the machine, with --max-parallel-jobs too', async () => {
  const folder = temporaryFolder();
  const environment = twoCpus(folder);
  for (const name of ['one', 'other']) flow(folder, name, 4, saying('sleep 0.1'), ', licenses: {matlab: 1}');
  const runs = ['one', 'other'].map((name) => run(folder, name, environment, ['-j', '4', '--limit', 'matlab=1']));
  for (const { ended } of runs) expect((await ended).stderr).toContain('4 jobs completed');
  expect(mostAtOnce(folder)).toBe(1);
});

it('a limit that cannot be counted is refused before anything is created', async () => {
  const folder = temporaryFolder();
  flow(folder, 'one', 1, 'true');
  const at = { cwd: join(folder, 'one') };
  const asked = async (...args: string[]) => (await torc([...args, 'run', 'flow.yaml'], at)).stderr;
  expect((await torc(['-s', 'run', 'flow.yaml', '--limit', 'matlab'], at)).stderr).toContain(
    'expected NAME=NUMBER such as matlab=4, found "matlab"',
  );
  expect((await torc(['-s', 'run', 'flow.yaml', '--limit', 'jobs=2'], at)).stderr).toContain('which every job holds');
  expect(await asked('-s')).toContain('Created workflow 1');
});

describe('what cannot be shared', () => {
  it('a run goes on alone, and says why, where the folder is no folder of its own', async () => {
    const folder = temporaryFolder();
    flow(folder, 'one', 2, 'true');
    const share = join(folder, 'open');
    mkdirSync(share);
    chmodSync(share, 0o777);
    const { stderr } = await run(folder, 'one', { TORC_SHARE: share }).ended;
    expect(stderr).toContain('2 jobs completed');
    expect(stderr).toContain('This run takes the machine for itself');
    expect(readdirSync(share)).toEqual([]);
  });

  it('a file that is damaged is named, and the run goes on alone', async () => {
    const folder = temporaryFolder();
    flow(folder, 'one', 2, 'true');
    const environment = { TORC_SHARE: join(folder, 'share') };
    expect((await run(folder, 'one', environment).ended).stderr).not.toContain('for itself');
    const [name = ''] = readdirSync(environment.TORC_SHARE);
    writeFileSync(
      join(environment.TORC_SHARE, name),
      'not a database, and long enough to be looked at as one'.repeat(20),
    );
    const { stderr } = await torc(['-s', '--db', 'next.db', 'run', 'flow.yaml'], {
      cwd: join(folder, 'one'),
      environment,
    });
    expect(stderr).toContain('2 jobs completed');
    expect(stderr).toContain('takes the machine for itself');
    expect(stderr).toContain(name);
  });
});

/** The CPUs of jobs that run now, by what stands in their environment. */
function cpusInUse(mark: string): number {
  const attempts = new Map<string, number>();
  processesWhere((environment) => {
    if (valueIn(environment, 'OF') !== mark) return false;
    const share = jobShareOf(valueIn(environment, 'TORC_JOB_SHARE'));
    if (share !== undefined && share.of !== mark) attempts.set(share.of, share.has['cpus'] ?? 0);
    return false;
  });
  return [...attempts.values()].reduce((sum, cpus) => sum + cpus, 0);
}

describe.each(SEEDS)('with moments of seed %d', (seed) => {
  it('a run that is killed at any moment holds what its jobs use, and afterwards everything is free again', async () => {
    const next = random(seed);
    const folder = temporaryFolder();
    const environment = twoCpus(folder);
    const mark = environment['OF'] as string;
    let most = 0;
    let looks = 0;
    const look = () => {
      const cpus = cpusInUse(mark);
      most = Math.max(most, cpus);
      looks += 1;
      return cpus;
    };
    // Each look reads the environment of every process of the machine.
    const watching = setInterval(look, 50);
    let runs = 0;
    const begin = () => {
      runs += 1;
      const name = `run_${runs}`;
      flow(folder, name, 30, 'sleep 0.1', next() < 0.3 ? ', resource_requirements: two' : '');
      const path = join(folder, name, 'flow.yaml');
      writeFileSync(
        path,
        `${readFileSync(path, 'utf8')}resource_requirements:\n  - {name: two, num_cpus: 2, memory: 1m}\n`,
      );
      return run(folder, name, environment);
    };
    try {
      const present = [begin(), begin(), begin()];
      await until(
        () => (look(), most),
        (cpus) => cpus >= 2,
        'both CPUs to be used',
      );
      for (let kills = 0; kills < 8; kills += 1) {
        // Behind the start of runs, which takes seconds beside other work.
        await until(
          () => look() > 0 || present.every(({ child }) => child.exitCode !== null),
          (began) => began,
          'a job to run',
        );
        await new Promise((resolve) => void setTimeout(resolve, next() * 1_200));
        const [killed] = present.splice(Math.floor(next() * present.length), 1, begin());
        killed?.child.kill('SIGKILL');
        await killed?.ended;
      }
      for (const each of present) each.child.kill('SIGKILL');
      await until(
        () => cpusInUse(mark),
        (cpus) => cpus === 0,
        'the jobs that were left to end',
      );
    } finally {
      clearInterval(watching);
    }
    expect([most, looks > 0]).toEqual([2, true]);

    // One that needs all of it has it at once.
    flow(folder, 'last', 1, 'touch "$OF.all"', ', resource_requirements: two');
    const path = join(folder, 'last', 'flow.yaml');
    writeFileSync(
      path,
      `${readFileSync(path, 'utf8')}resource_requirements:\n  - {name: two, num_cpus: 2, memory: 1m}\n`,
    );
    expect((await run(folder, 'last', environment).ended).stderr).toContain('1 job completed');
    expect(existsSync(`${mark}.all`)).toBe(true);
  });
});
