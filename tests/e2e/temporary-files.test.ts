import { spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { isCi } from '../support/in-ci.ts';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { random } from '../support/random.ts';

let folder: string;
let server: RunningServer;
const call = (...words: string[]) => torc(['--url', server.url, ...words], { cwd: folder });
const run = (...words: string[]) => call('run', ...words);
const flow = (text: string) => writeFileSync(join(folder, 'flow.yaml'), `name: flow\n${text}`);
const isThere = (name: string) => existsSync(join(folder, name));
const attempts = async () => {
  const { items } = await server.client.listResults({ query: { workflow_id: 1, all_runs: true } });
  return Object.fromEntries([...Map.groupBy(items, (each) => each.job_name)].map(([name, all]) => [name, all.length]));
};
const removals = async () => {
  const { items } = await server.client.listFiles({ query: { workflow_id: 1 } });
  return Object.fromEntries(items.map(({ path, removal }) => [path, removal]));
};

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
});

const TWO = `jobs:
  - { name: make, command: 'printf 12345 > t', outputs: [{ path: t, temporary: true }] }
  - { name: read, command: 'wc -c < t > out', inputs: [t], outputs: [out] }
`;

describe('temporary files', () => {
  it('a temporary file is deleted when its readers have completed, its size is shown, and nothing runs a second time', async () => {
    flow(TWO);
    const { stderr, code } = await run('flow.yaml');
    expect(code).toBe(0);
    expect(stderr).toContain('deleted 1 temporary file, 5 B');
    expect([isThere('t'), isThere('out'), await removals()]).toEqual([false, true, { t: 'deleted', out: undefined }]);
    expect((await run('1')).stderr).toContain('nothing to run: 2 up to date');
    await run('flow.yaml', '--update');
    expect((await call('workflows', 'reinit', '1', '--dry-run')).stdout).toContain('No job of workflow 1 would run.');
    expect(await attempts()).toEqual({ make: 1, read: 1 });
  });

  it('a job that runs again makes the maker of its deleted input run, and the file is deleted again', async () => {
    flow(TWO);
    await run('flow.yaml');
    rmSync(join(folder, 'out'));
    const { stderr } = await run('1', '--update');
    expect(stderr).toContain('t was temporary, and is read again');
    expect([isThere('t'), isThere('out'), await attempts()]).toEqual([false, true, { make: 2, read: 2 }]);
    await call('workflows', 'reinit', '1');
    await run('1');
    expect(await attempts()).toEqual({ make: 2, read: 2 });
  });

  it('a file whose reader failed stays until that one has completed', async () => {
    flow(`${TWO}  - { name: fails, command: 'test -e fixed', inputs: [t] }\n`);
    await run('flow.yaml');
    expect(isThere('t')).toBe(true);
    writeFileSync(join(folder, 'fixed'), '');
    await run('1', '--retry-failed');
    expect([isThere('t'), await attempts()]).toEqual([false, { make: 1, read: 1, fails: 2 }]);
  });

  it('a file whose last open reader an update removes is deleted by the next run, and one with a reader left is not', async () => {
    const fails = (name: string) => `  - { name: ${name}, command: 'test -e fixed', inputs: [t] }\n`;
    flow(`${TWO}${fails('one')}${fails('two')}`);
    await run('flow.yaml');
    flow(`${TWO}${fails('one')}`);
    await run('flow.yaml', '--update');
    expect([isThere('t'), await removals()]).toEqual([true, { t: undefined, out: undefined }]);
    flow(TWO);
    expect((await run('flow.yaml', '--update')).stderr).toContain('deleted 1 temporary file');
    expect([isThere('t'), await attempts()]).toEqual([false, expect.objectContaining({ make: 1, read: 1 })]);
  });

  it('with --keep-temporary, or its key, files stay, and a later run without it deletes them', async () => {
    flow(TWO);
    expect((await run('flow.yaml', '--keep-temporary')).stderr).not.toContain('temporary file');
    expect([isThere('t'), await removals()]).toEqual([true, { t: 'due', out: undefined }]);
    await torc(['--url', server.url, 'run', '1'], { cwd: folder, environment: { TORC_KEEP_TEMPORARY: '1' } });
    expect(isThere('t')).toBe(true);
    expect((await run('1')).stderr).toContain('deleted 1 temporary file, 5 B');
    expect(isThere('t')).toBe(false);
  });

  it('a file that was changed since its job made it is kept, with a warning, and so is one that no attempt wrote', async () => {
    writeFileSync(join(folder, 'mine'), 'given');
    // Older than the margin in which a job may have written it.
    await until(
      () => Date.now() - statSync(join(folder, 'mine')).ctimeMs,
      (ageMs) => ageMs > 2_200,
      'the file to be old',
    );
    flow(`jobs:
  - { name: make, command: 'printf 12345 > t', outputs: [{ path: t, temporary: true }, { path: mine, temporary: true }] }
  - { name: read, command: 'echo more >> t', inputs: [t, mine] }
`);
    const { stderr } = await run('flow.yaml');
    expect(stderr).toContain('left 1 temporary file as found');
    expect([isThere('t'), isThere('mine'), (await removals())['t']]).toEqual([true, true, 'changed']);
  });

  it('a folder is deleted with all that a job put there, one that was there before is kept, and no link is followed', async () => {
    mkdirSync(join(folder, 'given'));
    mkdirSync(join(folder, 'outside'));
    writeFileSync(join(folder, 'outside/precious'), '');
    flow(`jobs:
  - name: make
    command: 'mkdir -p new/deep && touch new/deep/a given/a && ln -s ../outside new/link && ln -s outside link'
    outputs: [{ path: new, temporary: true }, { path: given, temporary: true }, { path: link, temporary: true }]
  - { name: read, command: 'true', inputs: [new, given, link] }
`);
    await run('flow.yaml');
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['given', 'outside']));
    expect([isThere('new'), isThere('link'), isThere('given/a'), isThere('outside/precious')]).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('a file that only a link leads to is not on this machine any more: the runner says so, and nothing else is deleted', async () => {
    mkdirSync(join(folder, 'disk'));
    symlinkSync('disk', join(folder, 'here'));
    flow(`jobs:
  - { name: make, command: 'printf 12345 > here/t', outputs: [{ path: here/t, temporary: true }] }
  - { name: read, command: 'wc -c < here/t > out', inputs: [here/t], outputs: [out] }
`);
    await run('flow.yaml', '--keep-temporary');
    rmSync(join(folder, 'here'));
    const { stderr } = await run('1');
    expect(stderr).toContain('left 1 temporary file as found');
    expect([isThere('disk/t'), await removals()]).toEqual([true, { 'here/t': 'absent', out: undefined }]);
  });
});

describe('torc workflows clean', () => {
  const removed = async (...words: string[]) => {
    const { stdout } = await call('-f', 'json', 'workflows', 'clean', '1', ...words);
    const { removed: files, kept } = JSON.parse(stdout) as { removed: { path: string }[]; kept: string[] };
    return { paths: files.map(({ path }) => path.replace(/^.*job_wf/, '')).toSorted(), kept };
  };
  const FOUR = `jobs:
  - { name: make, command: 'printf 12345 > t', outputs: [{ path: t, temporary: true }] }
  - { name: read, command: 'cp t out; cp t safe; mkdir -p d; echo said', inputs: [t], outputs: [out, { path: safe, protected: true }, d] }
`;

  it('a script has to say --yes, a dry run changes nothing, and only the kinds that are named are removed', async () => {
    writeFileSync(join(folder, 'mine'), '');
    flow(FOUR);
    await run('flow.yaml', '--keep-temporary');
    expect(await call('workflows', 'clean', '1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--temporary'),
    });
    const asked = await call('workflows', 'clean', '1', '--temporary');
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringContaining('1 file, 5 B of workflow 1 would be removed'),
    ]);
    expect((await removed('--temporary', '--outputs', '--dry-run')).paths).toEqual(['out', 't']);
    expect(['t', 'out', 'safe'].map(isThere)).toEqual([true, true, true]);
    expect(await removed('--temporary', '--yes')).toEqual({ paths: ['t'], kept: [] });
    expect(await removed('--outputs', '--yes')).toEqual({ paths: ['out'], kept: ['d'] });
    expect(await removed('--protected', '--yes')).toEqual({ paths: ['safe'], kept: [] });
    expect((await removed('--logs', '--yes')).paths).toEqual([
      '1_j1_r1_a1.e',
      '1_j1_r1_a1.o',
      '1_j2_r1_a1.e',
      '1_j2_r1_a1.o',
    ]);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['mine', 'd', 'flow.yaml']));
  });

  it('what was changed since, and what no attempt made, stays; a later run names what was removed', async () => {
    flow(FOUR);
    await run('flow.yaml');
    writeFileSync(join(folder, 'out'), 'edited by a person');
    expect(await removed('--outputs', '--protected', '--yes')).toEqual({ paths: ['safe'], kept: ['out', 'd'] });
    expect((await run('1')).stderr).toContain('output safe was removed by clean');
    await run('1', '--update');
    expect([isThere('safe'), isThere('t'), await attempts()]).toEqual([true, false, { make: 2, read: 2 }]);
  });

  it('a path outside of the folder of the workflow stays, unless a person says it', async () => {
    const outside = join(temporaryFolder(), 'far');
    flow(`jobs: [{ name: make, command: 'touch ${outside}', outputs: ['${outside}'] }]\n`);
    await run('flow.yaml');
    expect((await removed('--outputs', '--yes')).paths).toEqual([]);
    expect(existsSync(outside)).toBe(true);
    expect((await removed('--outputs', '--outside', '--yes')).paths).toEqual([outside]);
    expect(existsSync(outside)).toBe(false);
  });

  it('while a job runs nothing is removed', async () => {
    flow(`jobs:
  - { name: make, command: 'touch a', outputs: [a] }
  - { name: long, command: 'touch began; while test ! -e stop; do sleep 0.05; done', inputs: [a] }
`);
    const running = start('torc', ['--url', server.url, 'run', 'flow.yaml'], { cwd: folder });
    await until(
      () => isThere('began'),
      (there) => there,
      'the job to run',
    );
    expect((await call('workflows', 'clean', '1', '--outputs', '--yes')).stderr).toContain('has jobs that run');
    writeFileSync(join(folder, 'stop'), '');
    await running.ended;
    expect(isThere('a')).toBe(true);
  });
});

const SEEDS = Array.from({ length: Number(process.env['TORC_SEEDS'] ?? (isCi ? 2 : 1)) }, (_, index) => index + 1);

describe.each(SEEDS)('with moments of seed %d', (seed) => {
  it('runners and servers that are killed lose no temporary file that a job needs, and leave none in the end', async () => {
    const next = random(seed);
    const jobs = Array.from({ length: 30 }, (_, index) => {
      const reads = [...new Set([next(), next()].map((each) => Math.floor(each * index)))].filter(
        (each) => each < index,
      );
      const temporary = next() < 0.6;
      const fails = next() < 0.2 ? `; test -e again${index} || { touch again${index}; exit 1; }` : '';
      const looks = reads.map((each) => `test -s f${each} || { echo ${index} ${each} >> violations; exit 9; }`);
      const command = [...looks, `sleep 0.0${Math.floor(next() * 9)}`, ...looks, `echo ${index} > f${index}`].join(
        '; ',
      );
      return { index, temporary, reads, command: `${command}${fails}` };
    });
    flow(
      `jobs:\n${jobs
        .map(
          ({ index, temporary, reads, command }) =>
            `  - { name: j${index}, command: ${JSON.stringify(command)}, inputs: ${JSON.stringify(['mine', ...reads.map((each) => `f${each}`)])}, outputs: [{ path: f${index}, temporary: ${temporary} }] }\n`,
        )
        .join('')}`,
    );
    writeFileSync(join(folder, 'mine'), 'mine');
    await call('create', 'flow.yaml');
    for (let round = 0; round < 6; round += 1) {
      const runner = start('torc', ['--url', server.url, 'run', '1', '--retry-failed', '--num-cpus', '4'], {
        cwd: folder,
      });
      await Promise.race([runner.ended, new Promise((resolve) => void setTimeout(resolve, 800 + next() * 1_500))]);
      if (next() < 0.5) runner.child.kill('SIGKILL');
      else {
        server.program.child.kill('SIGKILL');
        await server.program.ended;
        server = await startServer(folder, { port: server.port });
      }
      if (round % 2 === 0) runner.child.kill('SIGKILL');
      await runner.ended;
    }
    const completed = async () =>
      (await server.client.getWorkflowStatus({ params: { id: 1 } })).jobs_by_status.completed;
    for (let round = 0; round < 8 && (await completed()) < jobs.length; round += 1) await run('1', '--retry-failed');
    await run('1');
    expect(isThere('violations') ? readFileSync(join(folder, 'violations'), 'utf8') : '').toBe('');
    expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('mine');
    expect(await completed()).toBe(jobs.length);
    for (const { index, temporary } of jobs) expect([index, isThere(`f${index}`)]).toEqual([index, !temporary]);
    expect((await run('1', '--update')).stderr).toContain(`nothing to run: ${jobs.length} up to date`);
  }, 180_000);
});

/** Runs a command of the package as a user who is not root; undefined where that cannot be. */
function asOther(...words: string[]): { readonly stderr: string } | undefined {
  const other = 65_534;
  const program = [process.execPath, join(import.meta.dirname, '../../bin/torc.mjs')];
  const as = ['--reuid', String(other), '--regid', String(other), '--clear-groups', '--', ...program];
  const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, USER: 'other', HOME: folder } } as const;
  if (process.getuid?.() !== 0) return spawnSync(program[0] as string, [program[1] as string, ...words], options);
  if (spawnSync('setpriv', [...as, '--version'], options).status !== 0) return undefined;
  chownSync(folder, other, other);
  return spawnSync('setpriv', [...as, ...words], options);
}

describe('protected files', () => {
  it('a protected file is read-only when its job has completed, its own job writes it again, and no other one can', async ({
    skip,
  }) => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    writeFileSync(join(folder, 'in'), 'one');
    flow(`jobs:
  - { name: make, command: 'cat in >> out && mkdir -p tree && cp in tree/in && test ! -e fail', inputs: [in], outputs: [{ path: out, protected: true }, { path: tree, protected: true }] }
`);
    for (const name of ['in', 'flow.yaml']) if (process.getuid?.() === 0) chownSync(join(folder, name), 65_534, 65_534);
    const first = asOther('-s', 'run', 'flow.yaml');
    if (first === undefined) skip('no setpriv, or the other user cannot read this checkout');
    const isReadOnly = (name: string) => (statSync(join(folder, name)).mode & 0o222) === 0;
    const readOnly = () => ['out', 'tree', 'tree/in'].map(isReadOnly);
    expect([readOnly(), readFileSync(join(folder, 'out'), 'utf8')], first?.stderr).toEqual([[true, true, true], 'one']);

    // Another job cannot write it.
    writeFileSync(join(folder, 'other.yaml'), 'name: other\njobs: [{ name: other, command: "echo x > out" }]\n');
    expect(asOther('-s', 'run', 'other.yaml')?.stderr).toContain('1 failed');

    expect(asOther('-s', 'run', '1', '--force', 'make')?.stderr).toContain('1 job completed');
    expect([readOnly(), readFileSync(join(folder, 'out'), 'utf8')]).toEqual([[true, true, true], 'oneone']);
    // After an attempt that failed it is read-only as before.
    writeFileSync(join(folder, 'fail'), '');
    asOther('-s', 'run', '1', '--force', 'make');
    expect([readOnly(), readFileSync(join(folder, 'out'), 'utf8')]).toEqual([[true, true, true], 'oneoneone']);
  }, 60_000);
});
