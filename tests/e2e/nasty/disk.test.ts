import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nastyPlace, OK } from '../../support/nasty.ts';
import { programFolder } from '../../support/packed.ts';
import { start, startServer, temporaryFolder, torc, until } from '../../support/programs.ts';
import { ownerOf } from '../../../src/server/store/own.ts';
import { fill, noSmallDisk, smallDisk } from '../../support/small-disk.ts';

const TORC = join(programFolder(), 'torc.mjs');

/** A disk that is full where the output goes. Passed over where no small disk can be mounted. */

describe.skipIf(noSmallDisk)('a full disk under the output of a run', () => {
  it('a full disk under the output of a run makes the job fail that filled it, and no other; all is reported to the server, and whose output may be cut', async () => {
    const { run, folder, server } = await nastyPlace();
    const disk = smallDisk(2);
    symlinkSync(disk, join(folder, 'out'));
    const { code, ends, results, stderr } = await run(
      `
  - {name: early, command: exit 3}
  - {name: fills, command: 'head -c 1G /dev/zero', depends_on: [early], cancel_on_blocking_job_failure: false}
  - {name: "after_{i}", parameters: {i: "1:40"}, command: "true", depends_on: [fills], cancel_on_blocking_job_failure: false}
  - {name: writes, command: 'echo x', depends_on: [fills], cancel_on_blocking_job_failure: false}
`,
    );
    expect(code).toBe(0);
    expect(ends['fills']).toEqual(['failed', 1]);
    expect(ends['writes']).toEqual(['failed', 1]);
    for (let i = 1; i <= 40; i += 1) expect(ends[`after_${i}`]).toEqual(OK);
    expect(stderr).toContain('40 jobs completed, 3 failed');
    expect(stderr.match(/ledger .* cannot be written/g)).toHaveLength(1);
    expect(stderr.match(/cannot write the runner's log/g)).toHaveLength(1);
    expect(stderr.match(/There is no room for the output of jobs/g)).toHaveLength(1);
    expect(stderr).toMatch(/The output of 42 jobs may be cut.*lacking=space.*jobs=fills, after_\d+/);
    const full = 'the disk of its output was full when it ended';
    expect(Object.fromEntries(results.flatMap(({ job_name: name, cause }) => (cause ? [[name, cause]] : [])))).toEqual({
      fills: full,
      writes: full,
    });
    const { items: events } = await server.client.listEvents({ query: { workflow_id: 1, category: 'output_cut' } });
    expect(events.map(({ data }) => data)).toMatchObject([{ level: 'warning', lacking: 'space', count: 42 }]);
    // The explanation of each of them says so, also of one that completed, and that of one that ended before does not.
    const explained = (name: string) =>
      torc(['--url', server.url, 'jobs', 'explain', name, '-w', '1'], { cwd: folder });
    for (const name of ['after_40', 'writes'])
      expect((await explained(name)).stdout).toContain('its output may be cut: the disk of its output was full');
    expect((await explained('after_40')).stdout).toContain('make room, and run it again: torc ');
    expect((await explained('early')).stdout).not.toContain('cut');
    // Everything was reported, so nothing of it is kept.
    expect(readdirSync(join(disk, 'job_runner_ledger'))).toEqual([]);
  });

  it('a full disk under the output of a run is survived also when it is emptied again in the middle', async () => {
    const { run, folder } = await nastyPlace();
    const disk = smallDisk(2);
    symlinkSync(disk, join(folder, 'out'));
    writeFileSync(join(folder, 'release.sh'), `rm -f '${disk}/big'\n`);
    const { code, ends, stderr } = await run(
      `
  - {name: fills, command: 'head -c 1G /dev/zero > "$TORC_OUTPUT_DIR/big"'}
  - {name: "before_{i}", parameters: {i: "1:40"}, command: "true", depends_on: [fills], cancel_on_blocking_job_failure: false}
  - {name: empties, command: 'bash release.sh', depends_on_regexes: ["^before_"]}
  - {name: writes, command: 'echo x', depends_on: [empties]}
`,
      { args: ['--num-cpus', '1'] },
    );
    expect([code, ends['fills'], ends['writes']]).toEqual([0, ['failed', 1], OK]);
    expect(stderr).toContain('42 jobs completed, 1 failed');
    expect(stderr).toMatch(/ledger .* is written again/);
  });

  it('a full disk under the output of a run that was full before the run lets the jobs pass that write nothing', async () => {
    const { run, folder } = await nastyPlace();
    const disk = smallDisk(1);
    symlinkSync(disk, join(folder, 'out'));
    fill(disk);
    // Names need no block of this kind of disk.
    const { code, ends } = await run(`  - {name: quiet, command: "true"}\n  - {name: loud, command: echo x}\n`);
    expect([code, ends]).toEqual([0, { quiet: OK, loud: ['failed', 1] }]);
  });
});

it.skipIf(noSmallDisk)(
  'a run whose messages go to a full disk runs its jobs, and fails only if its result is lost',
  async () => {
    const folder = temporaryFolder();
    const disk = smallDisk(1);
    fill(disk);
    writeFileSync(join(folder, 'w.json'), JSON.stringify({ name: 'w', jobs: [{ name: 'a', command: 'touch ran' }] }));
    const into = (words: string, redirection: string) =>
      spawnSync('bash', ['--norc', '-c', `"$0" "$1" ${words} ${redirection}`, process.execPath, TORC, disk], {
        cwd: folder,
        env: { ...process.env, USER: 'tester' },
        encoding: 'utf8',
      });
    expect([into('-s run w.json', `2> ${disk}/err`).status, existsSync(join(folder, 'ran'))]).toEqual([0, true]);
    const { status, stderr } = into('-s -f json jobs list 1', `> ${disk}/out`);
    expect([status, stderr]).toEqual([1, expect.stringContaining('the output could not be written: ENOSPC')]);
  },
);

describe.skipIf(noSmallDisk)('a disk that is full for a while under the database of torc -s run', () => {
  it('a disk that is full for a while under the database of torc -s run stops nothing: the server is started again until there is room, a message says so, and all jobs end well', async () => {
    const folder = temporaryFolder();
    const disk = smallDisk(4);
    const spec = {
      name: 'w',
      jobs: [
        {
          name: 'first',
          command: `touch ${join(folder, 'runs')}; while [ ! -e ${join(folder, 'go')} ]; do sleep 0.05; done`,
        },
        { name: 'after', command: 'true', depends_on: ['first'] },
      ],
    };
    writeFileSync(join(folder, 'w.json'), JSON.stringify(spec));
    const database = join(disk, 'torc.db');
    const run = start('torc', ['-s', '--db', database, 'run', 'w.json'], { cwd: folder });
    await until(() => existsSync(join(folder, 'runs')), Boolean, 'the first job');
    const empty = fill(disk);
    writeFileSync(join(folder, 'go'), '');
    // More often than it was ever tried before it was given up.
    const servers = new Set<number>();
    const seen = () => {
      const owner = ownerOf(database);
      if (typeof owner === 'object') servers.add(owner.pid);
      return servers.size;
    };
    await until(seen, (count) => count >= 6, 'the sixth server');
    empty();
    const { code, stderr } = await run.ended;
    expect(stderr).toMatch(/the disk of .* is full: running jobs go on, .* waits for it for 20 minutes/);
    expect(stderr).not.toMatch(/starting it again|cannot be written|cannot attach/);
    expect(code).toBe(0);
    const { stdout } = await torc(['-s', '--db', database, '-f', 'json', 'jobs', 'list', '1'], { cwd: folder });
    const { items } = JSON.parse(stdout) as { items: { name: string; status: string }[] };
    expect(items.map(({ name, status }) => [name, status])).toEqual([
      ['first', 'completed'],
      ['after', 'completed'],
    ]);
  });
});

it.skipIf(noSmallDisk)(
  'a server that ends while its disk is full keeps its log, says so, and the next one has every change',
  async () => {
    const disk = smallDisk(4);
    const database = join(disk, 'torc.db');
    const first = await startServer(disk, { database });
    await first.client.createWorkflow({ body: { name: 'w', user: 'tester' } });
    // The tables are still in the log alone, so the database has to grow.
    const empty = fill(disk);
    first.program.child.kill('SIGTERM');
    const { code, stderr } = await first.program.ended;
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('The last changes stay in the log beside the database'),
    ]);
    empty();
    const next = await startServer(disk, { database });
    expect(await next.client.listWorkflows({ query: {} })).toMatchObject({ items: [{ name: 'w' }] });
  },
);

it('torc -s run does not start its server again on a database that is gone', async () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'w.json'),
    JSON.stringify({ name: 'w', jobs: [{ name: 'a', command: 'touch runs; sleep 60' }] }),
  );
  const run = start('torc', ['-s', '--db', 'torc.db', 'run', 'w.json'], { cwd: folder });
  await until(() => existsSync(join(folder, 'runs')), Boolean, 'the job');
  rmSync(join(folder, 'torc.db'));
  await run.says('is gone: it is not started again');
  expect(existsSync(join(folder, 'torc.db'))).toBe(false);
});
