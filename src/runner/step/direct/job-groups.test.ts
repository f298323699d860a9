import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, until } from '../../../../tests/support/programs.ts';
import { type OwnGroups, ownGroups } from '../../../cluster/host/own-groups.ts';
import { createLauncher } from '../../launch/choose.ts';
import type { ProcessEnd } from '../../launch/launcher.ts';
import { createJobGroups, type JobGroups } from './job-groups.ts';

const MIB = 2 ** 20;
const ID = 'wf1_j1_r1_a1';

const found = ownGroups();
const missing = typeof found === 'string' ? `no control groups here: ${found}` : undefined;
if (typeof found !== 'string') found.close();

function groupsHere(): { readonly groups: JobGroups; readonly own: OwnGroups } {
  const own = ownGroups() as OwnGroups;
  const groups = createJobGroups(own) as JobGroups;
  onTestFinished(() => groups.close());
  return { groups, own };
}

/** Runs a command in a group with this limit, and waits for its end. */
async function ran(script: string, limitBytes: number) {
  const { groups, own } = groupsHere();
  const ends: ProcessEnd[] = [];
  const launcher = createLauncher({ environment: process.env, onEnd: (ended) => ends.push(...ended) });
  onTestFinished(() => launcher.close());
  const request = { script, variables: [], stdout: undefined, stderr: undefined };
  groups.launch(ID, limitBytes, () => launcher.launch(request));
  await until(
    () => ends.length,
    (count) => count > 0,
    'the job to end',
    60_000,
  );
  return { end: ends[0] as ProcessEnd, hadKills: groups.hasKills(ID), kill: groups.ended(ID), own, groups };
}

describe.skipIf(missing !== undefined)(`control groups of jobs${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('a job that allocates 600 MB at once is killed by the kernel at the 50 MiB that it asked for', async () => {
    const { end, hadKills, kill, own, groups } = await ran(
      'head -c 600M /dev/zero | tail -c 600M > /dev/null',
      50 * MIB,
    );
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
    const { end, hadKills, kill, own } = await ran('exit 7', 50 * MIB);
    expect([end.exitCode, hadKills, kill]).toEqual([7, false, undefined]);
    expect(existsSync(join(own.folder, ID))).toBe(false);
  });

  it('what a job starts is in its group from the first moment, and the runner is not', async () => {
    const folder = temporaryFolder();
    const inside = join(folder, 'group');
    const before = readFileSync('/proc/self/cgroup', 'utf8');
    await ran(`(cat /proc/self/cgroup > ${inside})`, 50 * MIB);
    expect(readFileSync(inside, 'utf8')).toContain(`/${ID}\n`);
    expect(readFileSync('/proc/self/cgroup', 'utf8')).toBe(before);
  });

  it('a job that could not be launched leaves no group, and the runner is not in it', () => {
    const { groups, own } = groupsHere();
    const before = readFileSync('/proc/self/cgroup', 'utf8');
    const fails = () => {
      throw new Error('no bash');
    };
    expect(() => groups.launch(ID, MIB, fails)).toThrow('no bash');
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

describe('a machine where no groups can be made', () => {
  it('the reason is said, for a group that does not count memory and for a folder that may not be written', () => {
    const root = temporaryFolder();
    const roots = { proc: join(root, 'proc'), groups: join(root, 'groups') };
    expect(createJobGroups(ownGroups(roots))).toBe('this process has no control group that counts memory');
    mkdirSync(join(root, 'proc/self'), { recursive: true });
    mkdirSync(join(root, 'groups/user/own'), { recursive: true });
    writeFileSync(join(root, 'proc/self/cgroup'), '0::/user/own\n');
    writeFileSync(join(root, 'groups/user/own/memory.current'), '1\n');
    writeFileSync(join(root, 'groups/user/own/cgroup.controllers'), 'memory\n');
    writeFileSync(join(root, 'groups/user/own/cgroup.procs'), '1\n2\n');
    writeFileSync(join(root, 'groups/user/cgroup.subtree_control'), 'cpu\n');
    expect(ownGroups(roots)).toBe(
      `${roots.groups}/user: others are in the group of this process, no memory controller`,
    );
  });
});
