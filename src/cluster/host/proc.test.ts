import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { openProcessTable, parseStat, proportionalBytes, readPeakBytes } from './proc.ts';
import { readProcesses } from '../../../tests/support/processes.ts';

/** /proc/PID/stat with the relevant fields; the other fields are distinguished by their numbers. */
function statOf({
  pid = 7,
  name = 'bash',
  parent = 1,
  session = 7,
  user = 0,
  system = 0,
  waited = 0,
  threads = 1,
  start = 0,
  pages = 0,
  state = 'S',
} = {}) {
  const fields = Array.from({ length: 52 }, (_, index) => String(1000 + index + 1));
  const set = (field: number, value: number | string) => (fields[field - 1] = String(value));
  set(1, pid);
  set(2, `(${name})`);
  set(3, state);
  set(4, parent);
  set(5, session + 1);
  set(6, session);
  set(14, user);
  set(15, system);
  set(16, waited);
  set(17, 0);
  set(20, threads);
  set(22, start);
  set(24, pages);
  return `${fields.join(' ')}\n`;
}

/** A folder with the layout of /proc and these files. */
function proc(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe.skipIf(process.platform !== 'linux')('the stat line of a process', () => {
  it('a stat line gives parent, group, session, state, start time and use', () => {
    const line = statOf({
      pid: 42,
      parent: 7,
      session: 5,
      user: 150,
      system: 25,
      waited: 300,
      start: 99,
      state: 'R',
      threads: 3,
    });
    expect(parseStat(line)).toEqual({
      pid: 42,
      parentPid: 7,
      groupId: 6,
      sessionId: 5,
      state: 'R',
      name: 'bash',
      threads: 3,
      startTicks: 99,
      cpuSeconds: 1.75,
      waitedCpuSeconds: 3,
      residentBytes: 0,
    });
  });

  test.each(['a b', 'a) R 9 9 (b', ') R 1 (', '(((', ')))', ''])(
    'a stat line is parsed correctly for every process name: %j',
    (name) => {
      expect(parseStat(statOf({ name, parent: 7 }))).toMatchObject({ pid: 7, parentPid: 7, state: 'S', name });
    },
  );

  test.each([
    ['a line break', Buffer.from('a\nb'), 'a\nb'],
    ['letters beyond ASCII', Buffer.from('größe'), 'größe'],
    ['bytes that are no UTF-8', Buffer.from([0x61, 0xff, 0xc3]), 'a\u{fffd}\u{fffd}'],
  ])('a process name with %s is read', (_, bytes, name) => {
    const [before = '', after = ''] = statOf({ name: '@' }).split('@');
    expect(parseStat(Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]))?.name).toBe(name);
  });

  test.each(['', 'nonsense', '7 (bash', '7 bash) S 1'])('an incomplete stat line is no process: %j', (text) => {
    expect(parseStat(text)).toBeUndefined();
  });

  it('memory is counted in pages of this machine', () => {
    const one = parseStat(statOf({ pages: 1 }))?.residentBytes as number;
    expect([4096, 16_384, 65_536]).toContain(one);
    expect(parseStat(statOf({ pages: 250 }))?.residentBytes).toBe(250 * one);
  });
});

describe.skipIf(process.platform !== 'linux')('the process table', () => {
  it('the process table contains every process, and no other entry of the folder', () => {
    const root = proc({
      '7/stat': statOf({ pid: 7 }),
      '1204/stat': statOf({ pid: 1204, parent: 7 }),
      'self/stat': statOf({ pid: 99 }),
      'sys/kernel': '',
      uptime: '1 2',
    });
    const found = readProcesses(root).map(({ pid, parentPid }) => [pid, parentPid]);
    expect(found.sort((a, b) => (a[0] as number) - (b[0] as number))).toEqual([
      [7, 1],
      [1204, 7],
    ]);
  });

  it('the process table leaves out processes that end while it is read', () => {
    const root = proc({ '7/stat': statOf({ pid: 7 }), '8/status': '', '9/stat': '' });
    expect(readProcesses(root).map(({ pid }) => pid)).toEqual([7]);
  });

  it('a long line does not leave data in a shorter one that is read after it', () => {
    const short = statOf({ pid: 8, pages: 1 }).split(' ').slice(0, 24).join(' ');
    const root = proc({
      '7/stat': statOf({ pid: 7, pages: 1 }),
      '8/stat': short,
      '9/stat': statOf({ pid: 9, pages: 1 }),
    });
    const memory = readProcesses(root).map(({ residentBytes }) => residentBytes);
    expect(new Set(memory)).toEqual(new Set([parseStat(statOf({ pages: 1 }))?.residentBytes]));
  });

  it('the process table contains this process, with about the memory that the runtime reports', () => {
    const own = readProcesses().find(({ pid }) => pid === process.pid);
    expect(own).toMatchObject({ parentPid: process.ppid });
    const ratio = (own?.residentBytes as number) / process.memoryUsage.rss();
    expect([ratio > 0.5, ratio < 2]).toEqual([true, true]);
  });
});

describe.skipIf(process.platform !== 'linux')('the process table, read repeatedly', () => {
  const pids = (table: ReturnType<typeof openProcessTable>, passOver?: ReadonlySet<number>) =>
    table
      .read(passOver)
      .map(({ pid }) => pid)
      .sort((left, right) => left - right);

  it('a second read shows new and changed processes, and no ended ones', () => {
    const root = proc({ '7/stat': statOf({ pid: 7 }), '8/stat': statOf({ pid: 8 }) });
    const table = openProcessTable(root);
    onTestFinished(() => table.close());
    expect(pids(table)).toEqual([7, 8]);
    rmSync(join(root, '7'), { recursive: true });
    mkdirSync(join(root, '9'));
    writeFileSync(join(root, '9/stat'), statOf({ pid: 9 }));
    writeFileSync(join(root, '8/stat'), statOf({ pid: 8, user: 500 }));
    expect(table.read().map(({ pid, cpuSeconds }) => [pid, cpuSeconds])).toEqual([
      [8, 5],
      [9, 0],
    ]);
  });

  it('a read skips the given processes, until they are no longer given', () => {
    const table = openProcessTable(proc({ '7/stat': statOf({ pid: 7 }), '8/stat': statOf({ pid: 8 }) }));
    onTestFinished(() => table.close());
    expect(pids(table, new Set([7]))).toEqual([8]);
    expect(pids(table)).toEqual([7, 8]);
  });

  it('the process table keeps no file open of ended processes, or after it is closed', async () => {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    const table = openProcessTable();
    const isOpen = (pid: number | undefined) =>
      readdirSync('/proc/self/fd').some((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`) === `/proc/${pid}/stat`;
        } catch {
          return false;
        }
      });
    expect(pids(table)).toContain(child.pid);
    expect(isOpen(child.pid)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(pids(table)).not.toContain(child.pid);
    expect([isOpen(child.pid), isOpen(process.pid)]).toEqual([false, true]);
    table.close();
    expect(isOpen(process.pid)).toBe(false);
  });
});

describe('the memory of several processes together', () => {
  const rollup = (kilobytes: number) => `00400000-7ffd rollup\nRss:  99999 kB\nPss:  ${kilobytes} kB\nPss_Anon: 1 kB\n`;

  it('shared memory is counted once', async () => {
    const root = proc({ '7/smaps_rollup': rollup(100), '8/smaps_rollup': rollup(50) });
    expect(await proportionalBytes([7, 8], root)).toBe(150 * 1024);
  });

  it('an ended process counts as zero, and one that may not be inspected counts with its resident size', async () => {
    const root = proc({ '7/smaps_rollup': rollup(100), '8/statm': '900 3 1 1 0 1 0' });
    const page = parseStat(statOf({ pages: 1 }))?.residentBytes as number;
    expect(await proportionalBytes([7, 8, 9], root)).toBe(100 * 1024 + 3 * page);
  });
});

describe('the peak memory of a process', () => {
  it("the peak memory of a process is the kernel's figure", () => {
    const root = proc({ '7/status': 'Name:\tbash\nVmPeak:\t  9999 kB\nVmHWM:\t    1204 kB\nVmRSS:\t     800 kB\n' });
    expect(readPeakBytes(7, root)).toBe(1204 * 1024);
  });

  it('the peak memory is unknown for an ended process, and for one without its own memory', () => {
    const root = proc({ '8/status': 'Name:\tkthreadd\nState:\tS (sleeping)\n' });
    expect([readPeakBytes(7, root), readPeakBytes(8, root)]).toEqual([undefined, undefined]);
  });
});
