import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { openDetails } from './process-details.ts';
import { pageBytes, type ProcessSample } from './proc.ts';
import { slurmStepOf } from './slurm-groups.ts';

const sample = (pid: number, changed: Partial<ProcessSample> = {}): ProcessSample => ({
  pid,
  parentPid: 1,
  groupId: pid,
  sessionId: pid,
  state: 'S',
  name: 'sleep',
  threads: 1,
  startTicks: 100,
  cpuSeconds: 1,
  waitedCpuSeconds: 0,
  residentBytes: 4096,
  ...changed,
});

/** A folder with the layout of /proc; `set` writes a file in it. */
function proc() {
  const root = temporaryFolder();
  const set = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const reader = openDetails(root);
  onTestFinished(() => reader.close());
  /** The title of a process, and its real and its effective user. */
  const titled = (pid: number, title: string, [real, effective] = [0, 0]) => {
    set(`${pid}/cmdline`, title);
    set(`${pid}/status`, `Name:\tslurmstepd\nUid:\t${real}\t${effective}\t0\t0\n`);
  };
  return { root, set, titled, reader };
}

const io = (read: number, written = 0, canceled = 0) =>
  `rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: ${read}\nwrite_bytes: ${written}\ncancelled_write_bytes: ${canceled}\n`;

it('the details of a process are its user, its Slurm step, its private and data memory and what it read and wrote', () => {
  const { set, reader } = proc();
  set('7/statm', '900 300 100 10 0 250 0\n');
  set('7/io', io(4096, 8192, 512));
  set('7/cgroup', '0::/system.slice/slurmstepd.scope/job_42/step_batch/user/task_0\n');
  expect(reader.of([sample(7)])).toEqual([
    {
      ...sample(7),
      userId: process.getuid?.(),
      slurm: { jobId: 42, step: 'batch' },
      privateBytes: 200 * pageBytes(),
      dataBytes: 250 * pageBytes(),
      readBytes: 4096,
      writtenBytes: 8192,
      cancelledBytes: 512,
    },
  ]);
});

it('a process that used no time keeps its figures, and one that did gets new ones', () => {
  const { set, reader } = proc();
  for (const pid of [7, 8]) {
    set(`${pid}/statm`, '900 300 100 10 0 250 0\n');
    set(`${pid}/io`, io(4096));
  }
  reader.of([sample(7), sample(8)]);
  for (const pid of [7, 8]) set(`${pid}/io`, io(8192));
  const [idle, busy] = reader.of([sample(7), sample(8, { cpuSeconds: 2 })]);
  expect([idle?.readBytes, busy?.readBytes]).toEqual([4096, 8192]);
});

it('a process with a used id and another start is a new process', () => {
  const { set, reader } = proc();
  set('7/cgroup', '0::/job_42/step_0\n');
  set('7/io', io(4096));
  set('9/cgroup', '0::/\n');
  reader.of([sample(7), sample(9, { startTicks: 10_000 })]);
  set('7/cgroup', '0::/user.slice\n');
  set('7/io', io(0));
  const [first] = reader.of([sample(7, { startTicks: 200 }), sample(9, { startTicks: 10_000 })]);
  expect(first).toMatchObject({ slurm: undefined, readBytes: 0 });
});

it('the control group of a young process, and of one with a new name, is read again', () => {
  const { set, reader } = proc();
  const [young, old] = [sample(7, { startTicks: 9_999 }), sample(8, { startTicks: 1 })];
  const jobs = (processes: ProcessSample[]) => reader.of(processes).map(({ slurm }) => slurm?.jobId);
  for (const pid of [7, 8]) set(`${pid}/cgroup`, '0::/system.slice\n');
  expect(jobs([young, old])).toEqual([undefined, undefined]);
  for (const pid of [7, 8]) set(`${pid}/cgroup`, '0::/job_42/step_0\n');
  expect(jobs([young, old])).toEqual([42, undefined]);
  expect(jobs([young, { ...old, name: 'python3' }])).toEqual([42, 42]);
});

it('the control group of an old process that is moved is noticed within 32 reads, and one that ended keeps its own', () => {
  const { root, set, reader } = proc();
  const [old, ended] = [sample(7, { startTicks: 1 }), sample(8, { startTicks: 1 })];
  const jobs = () => reader.of([old, ended, sample(9, { startTicks: 9_999 })]).map(({ slurm }) => slurm?.jobId);
  set('7/cgroup', '0::/system.slice\n');
  set('8/cgroup', '0::/job_41/step_0\n');
  set('9/cgroup', '0::/\n');
  expect(jobs()).toEqual([undefined, 41, undefined]);
  set('7/cgroup', '0::/job_42/step_0\n');
  rmSync(join(root, '8'), { recursive: true });
  const seen = Array.from({ length: 32 }, jobs);
  expect(seen[0]).toEqual([undefined, 41, undefined]);
  expect(seen.at(-1)).toEqual([42, 41, undefined]);
});

it('a process that ended meanwhile, and one of another user, have no details', () => {
  const { root, set, reader } = proc();
  set('7/statm', '900 300 100 10 0 250 0\n');
  set('7/io', io(4096));
  reader.of([sample(7)]);
  rmSync(join(root, '7'), { recursive: true });
  const [ended] = reader.of([sample(7, { name: 'other', cpuSeconds: 5 })]);
  expect(ended).toMatchObject({ userId: undefined, slurm: undefined, privateBytes: 0, readBytes: 0 });
});

test.each([
  ['5:freezer:/slurm/uid_7319/job_748468/step_0\n', { jobId: 748468, step: '0' }],
  ['2:cpu:/\n1:memory:/slurm/uid_1/job_9/step_extern/task_1\n', { jobId: 9, step: 'extern' }],
  ['0::/system.slice/slurmstepd.scope/job_1392969/step_0/user/task_0\n', { jobId: 1392969, step: '0' }],
  ['0::/slurm/job_7\n', { jobId: 7, step: '' }],
])('the control group %j names a Slurm job', (text, step) => expect(slurmStepOf(text)).toEqual(step));

test.each([
  '',
  '1:name=systemd:/user.slice/user-7.slice/user@7.service/job_9/step_0\n',
  '0::/\n',
  '0::/user.slice/job_x/step_0\n',
  '0::/my_job_12/x\n',
  '0::/job_0/step_0\n',
  '0::/job_12x/\n',
])('the control group %j names no Slurm job', (text) => expect(slurmStepOf(text)).toBeUndefined());

describe('processes of a job whose control group Slurm names by another id than its number (26.05.3)', () => {
  const groupOf = (sluid: string, rest: string) =>
    `6:freezer:/\n0::/system.slice/slurmstepd.scope/${sluid}/step_${rest}\n`;
  const daemon = (pid: number) => sample(pid, { name: 'slurmstepd' });

  it('processes have the number of their job from the title of a daemon of one of its steps, which may have a higher process id', () => {
    const { set, titled, reader } = proc();
    set('7/cgroup', groupOf('sAKNM8HTYPFQ00', 'batch/user/task_special'));
    set('8/cgroup', groupOf('s83DM8J1533M00', '0/user/task_special'));
    set('9/cgroup', groupOf('sAKNM8HTYPFQ00', 'extern/slurm'));
    titled(9, 'slurmstepd: [42.extern]\0\0');
    const [job, other, own] = reader.of([sample(7), sample(8), daemon(9)]);
    expect([job?.slurm, own?.slurm]).toEqual([
      { jobId: 42, step: 'batch' },
      { jobId: 42, step: 'extern' },
    ]);
    expect(other?.slurm).toBeUndefined();
  });

  it('processes have their job as soon as the daemon has its title, and not that of a daemon whose process id was used again', () => {
    const { set, titled, reader } = proc();
    set('7/cgroup', groupOf('sAKNM8HTYPFQ00', '0/user/task_special'));
    set('9/cgroup', groupOf('sAKNM8HTYPFQ00', '0/slurm'));
    titled(9, '/usr/sbin/slurmstepd\0');
    expect(reader.of([sample(7), daemon(9)])[0]?.slurm).toBeUndefined();
    titled(9, 'slurmstepd: [42.0]\0\0');
    expect(reader.of([sample(7), daemon(9)])[0]?.slurm).toEqual({ jobId: 42, step: '0' });
    set('9/cgroup', groupOf('s83DM8J1533M00', '0/slurm'));
    titled(9, 'slurmstepd: [43.0]\0\0');
    set('8/cgroup', groupOf('s83DM8J1533M00', '0/user/task_special'));
    const [, next] = reader.of([sample(7), sample(8), sample(9, { name: 'slurmstepd', startTicks: 200 })]);
    expect(next?.slurm).toEqual({ jobId: 43, step: '0' });
  });

  it('a program of a user with the name and the title of a daemon does not give its job the number of another one', () => {
    const { set, titled, reader } = proc();
    const [alone, beside] = ['sAKNM8HTYPFQ00', 's83DM8J1533M00'];
    set('7/cgroup', groupOf(alone, '0/user/task_0'));
    set('8/cgroup', groupOf(alone, '0/user/task_0'));
    titled(8, 'slurmstepd: [42.0]\0\0', [1000, 1000]);
    set('17/cgroup', groupOf(beside, '0/user/task_0'));
    set('18/cgroup', groupOf(beside, '0/slurm'));
    titled(18, 'slurmstepd: [43.0]\0\0');
    set('19/cgroup', groupOf(beside, '0/user/task_0'));
    // `su` under this name waits for a password as root.
    titled(19, 'slurmstepd: [42.0]\0\0', [1000, 0]);
    const seen = reader.of([sample(7), daemon(8), sample(17), daemon(18), daemon(19)]);
    expect(seen.map(({ slurm }) => slurm?.jobId)).toEqual([undefined, undefined, 43, 43, 43]);
  });
});
