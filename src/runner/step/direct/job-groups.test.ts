import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, until } from '../../../../tests/support/programs.ts';
import { type OwnGroups, ownGroups } from '../../../cluster/host/own-groups.ts';
import { createLauncher } from '../../launch/choose.ts';
import type { ProcessEnd } from '../../launch/launcher.ts';
import type { JobLimits } from '../../facts/run-facts.ts';
import { type JobGroups, jobGroupsIn } from './job-groups.ts';

const MIB = 2 ** 20;
const ID = 'wf1_j1_r1_a1';

const found = ownGroups({ cpu: true });
const missing = typeof found === 'string' ? `no control groups here: ${found}` : undefined;
const noCpu = typeof found === 'string' ? found : typeof found.cpu === 'string' ? found.cpu : undefined;
const isVersion1 = typeof found !== 'string' && found.version === 1;
if (typeof found !== 'string') found.close();

function groupsHere(): { readonly groups: JobGroups; readonly own: OwnGroups } {
  const own = ownGroups({ cpu: noCpu === undefined }) as OwnGroups;
  const groups = jobGroupsIn(own) as JobGroups;
  onTestFinished(() => groups.close());
  return { groups, own };
}

/** Runs a command in a group with these limits, and waits for its end. */
async function ran(script: string, limits: JobLimits) {
  const { groups, own } = groupsHere();
  const ends: ProcessEnd[] = [];
  const launcher = createLauncher({ environment: process.env, onEnd: (ended) => ends.push(...ended) });
  onTestFinished(() => launcher.close());
  const request = { script, variables: [], stdout: undefined, stderr: undefined };
  groups.launch(ID, limits, () => launcher.launch(request));
  await until(
    () => ends.length,
    (count) => count > 0,
    'the job to end',
  );
  return { end: ends[0] as ProcessEnd, hadKills: groups.hasKills(ID), kill: groups.ended(ID), own, groups };
}

describe.skipIf(missing !== undefined)(`control groups of jobs${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('a job that allocates 600 MB at once is killed by the kernel at the 50 MiB that it asked for', async () => {
    const { end, hadKills, kill, own, groups } = await ran('head -c 600M /dev/zero | tail -c 600M > /dev/null', {
      memoryBytes: 50 * MIB,
    });
    expect([end.exitCode === 0, hadKills]).toEqual([false, true]);
    expect(kill).toEqual({ cause: 'the kernel killed it at its memory limit of 50 MiB', usedBytes: 50 * MIB });
    // What it started may end a moment later.
    await until(
      () => (groups.close(), existsSync(own.folder)),
      (isThere) => !isThere,
      'its group to be removed',
    );
  });

  it('a job below its limit ends with its own exit code, and nothing is left of its group', async () => {
    const { end, hadKills, kill, own } = await ran('exit 7', { memoryBytes: 50 * MIB });
    expect([end.exitCode, hadKills, kill]).toEqual([7, false, undefined]);
    expect(existsSync(join(own.folder, ID))).toBe(false);
  });

  it('what a job starts is in its group from the first moment, and the runner is not', async () => {
    const folder = temporaryFolder();
    const inside = join(folder, 'group');
    const before = readFileSync('/proc/self/cgroup', 'utf8');
    await ran(`(cat /proc/self/cgroup > ${inside})`, { memoryBytes: 50 * MIB, cpus: 1 });
    const groups = readFileSync(inside, 'utf8').split('\n');
    expect(groups.filter((line) => line.endsWith(`/${ID}`))).toHaveLength(noCpu === undefined && isVersion1 ? 2 : 1);
    expect(readFileSync('/proc/self/cgroup', 'utf8')).toBe(before);
  });

  it('a job that could not be launched leaves no group, and the runner is not in it', () => {
    const { groups, own } = groupsHere();
    const before = readFileSync('/proc/self/cgroup', 'utf8');
    const fails = () => {
      throw new Error('no bash');
    };
    expect(() => groups.launch(ID, { memoryBytes: MIB, cpus: 1 }, fails)).toThrow('no bash');
    expect(groups.ended(ID)).toBeUndefined();
    expect(existsSync(join(own.folder, ID))).toBe(false);
    expect(readFileSync('/proc/self/cgroup', 'utf8')).toBe(before);
  });

  it('groups of a runner that was killed are removed by the next one, and those of a live one are not', () => {
    const first = ownGroups() as OwnGroups;
    const top = dirname(first.folder);
    first.close();
    const start = readFileSync('/proc/1/stat', 'latin1').split(') ')[1]?.split(' ')[19];
    const [dead, live] = [join(top, 'torc-1-999999999'), join(top, `torc-1-${start}`)];
    mkdirSync(join(dead, ID), { recursive: true });
    mkdirSync(live);
    onTestFinished(() => rmdirSync(live));
    groupsHere();
    expect([existsSync(dead), existsSync(live)]).toEqual([false, true]);
  });
});

describe.skipIf(noCpu !== undefined)(`CPU limits of jobs${noCpu === undefined ? '' : ` (${noCpu})`}`, () => {
  /** Counts up to what takes a tenth of a second of CPU time or more, and prints how often its group had to wait. */
  const work = (to: string) =>
    `for ((i = 0; i < 50000; i++)); do :; done; cat $(sed -nE 's#^[0-9]*:cpu(,cpuacct)?:#/sys/fs/cgroup/cpu#p; s#^0::(/.*torc-)#/sys/fs/cgroup\\1#p' /proc/self/cgroup | head -1)/cpu.stat > ${to}`;
  const waits = (file: string) => Number(/^nr_throttled (\d+)$/m.exec(readFileSync(file, 'utf8'))?.[1]);

  it('a job that wants more CPU time than it asked for waits, and one that does not is never halted', async () => {
    const folder = temporaryFolder();
    const files = [join(folder, 'narrow'), join(folder, 'wide')] as const;
    const { end, groups } = await ran(work(files[0]), { cpus: 0.1 });
    groups.close();
    await ran(work(files[1]), { cpus: 4 });
    expect(end.exitCode).toBe(0);
    expect(waits(files[0])).toBeGreaterThan(0);
    expect(waits(files[1])).toBe(0);
  });

  it('a job that limits CPU time alone may use any memory', async () => {
    const { end, kill } = await ran('head -c 100M /dev/zero | tail -c 100M > /dev/null', { cpus: 4 });
    expect([end.exitCode, kill]).toEqual([0, undefined]);
  });

  it('groups of CPU time are made only where a workflow limits it, and removed with the others', () => {
    const without = ownGroups() as OwnGroups;
    without.close();
    expect(without.cpu).toBe('not requested');
    const { own, groups } = groupsHere();
    const { folder } = own.cpu as { readonly folder: string };
    expect(existsSync(folder)).toBe(true);
    groups.close();
    expect(existsSync(folder)).toBe(false);
  });
});

describe('control groups of version 2, played by folders', () => {
  /** The files that the kernel would show; what is written to them stays as text. */
  function played(controllers: string) {
    const root = temporaryFolder();
    const top = join(root, 'groups/user/own');
    const make = (folder: string) => {
      mkdirSync(folder, { recursive: true });
      for (const [file, text] of Object.entries({
        'cgroup.controllers': controllers,
        'cgroup.procs': `${process.pid}\n`,
        'cgroup.subtree_control': '',
        'memory.current': '1\n',
      }))
        writeFileSync(join(folder, file), text);
    };
    make(join(root, 'groups/user'));
    make(top);
    mkdirSync(join(root, 'proc/self'), { recursive: true });
    writeFileSync(join(root, 'proc/self/cgroup'), '0::/user/own\n');
    const roots = { proc: join(root, 'proc'), groups: join(root, 'groups') };
    const door = { make, remove: (folder: string) => rmSync(folder, { recursive: true }) };
    const own = ownGroups({ roots, cpu: true, door }) as OwnGroups;
    const textOf = (...path: string[]) => readFileSync(join(own.folder, ...path), 'utf8');
    return { own, groups: jobGroupsIn(own) as JobGroups, top, textOf };
  }

  it('a group has the limits of its job: memory without swap space, and CPU time in a tenth of a second', () => {
    const { own, groups, top, textOf } = played('cpuset cpu memory pids\n');
    expect(own.folder.startsWith(`${top}/torc-`)).toBe(true);
    groups.launch(ID, { memoryBytes: 50 * MIB, cpus: 3 }, () => {
      expect(textOf(ID, 'cgroup.procs')).toBe('0');
      return 1;
    });
    expect(textOf(ID, 'memory.max')).toBe(String(54 * MIB));
    expect(textOf(ID, 'memory.swap.max')).toBe('0');
    expect(textOf(ID, 'cpu.max')).toBe('300000 100000');
    expect(textOf('runner', 'cgroup.procs')).toBe('0');
    groups.launch('wf1_j2_r1_a1', { memoryBytes: MIB }, () => 2);
    expect(existsSync(join(own.folder, 'wf1_j2_r1_a1/cpu.max'))).toBe(false);
    groups.ended(ID);
    groups.ended('wf1_j2_r1_a1');
    groups.close();
    expect(existsSync(own.folder)).toBe(false);
  });

  it('where the CPU controller is not delegated, memory is limited all the same, and the reason is known', () => {
    const { groups, own, textOf } = played('memory pids\n');
    expect(groups.cpu).toBe('no CPU controller');
    groups.launch(ID, { memoryBytes: MIB, cpus: 1 }, () => 1);
    expect(textOf(ID, 'memory.max')).toBe(String(5 * MIB));
    expect(existsSync(join(own.folder, ID, 'cpu.max'))).toBe(false);
  });
});

describe('a machine where no groups can be made', () => {
  it('the reason is said, for a group that does not count memory and for a folder that may not be written', () => {
    const root = temporaryFolder();
    const roots = { proc: join(root, 'proc'), groups: join(root, 'groups') };
    expect(jobGroupsIn(ownGroups({ roots }))).toBe('this process has no control group that counts memory');
    mkdirSync(join(root, 'proc/self'), { recursive: true });
    mkdirSync(join(root, 'groups/user/own'), { recursive: true });
    writeFileSync(join(root, 'proc/self/cgroup'), '0::/user/own\n');
    writeFileSync(join(root, 'groups/user/own/memory.current'), '1\n');
    writeFileSync(join(root, 'groups/user/own/cgroup.controllers'), 'memory\n');
    writeFileSync(join(root, 'groups/user/own/cgroup.procs'), '1\n2\n');
    writeFileSync(join(root, 'groups/user/cgroup.subtree_control'), 'cpu\n');
    expect(ownGroups({ roots })).toBe(
      `${roots.groups}/user: others are in the group of this process, no memory controller`,
    );
  });
});
