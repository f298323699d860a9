import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { groupLimits } from './cgroup.ts';
import { hostFacts } from './facts.ts';

const GIBIBYTE = 2 ** 30;
/** The value of version 1 for "no limit". */
const NO_BYTES = '9223372036854771712\n';

/** A folder with these files; `GROUPS` in their text is replaced by the path of the control groups. */
function folderOf(files: Readonly<Record<string, string>>): {
  proc: string;
  facts: () => ReturnType<typeof groupLimits>;
} {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text.replaceAll('GROUPS', join(root, 'cgroup')));
  }
  const proc = join(root, 'self');
  return { proc, facts: () => groupLimits(proc) };
}

const v2 = (path: string, files: Readonly<Record<string, string>>, root = '/') =>
  folderOf({
    'self/mountinfo': `23 1 0:21 / /proc rw - proc proc rw\n36 25 0:30 ${root} GROUPS rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n`,
    'self/cgroup': `0::${path}\n`,
    'self/status': 'Name:\tnode\nCpus_allowed:\tffff\nCpus_allowed_list:\t0-15\n',
    ...files,
  }).facts();

describe('control groups of version 2', () => {
  it('control groups v2 limit CPUs by their quota and memory by its maximum', () => {
    const files = { 'cgroup/job/cpu.max': '400000 100000\n', 'cgroup/job/memory.max': `${2 * GIBIBYTE}\n` };
    expect(v2('/job', files)).toEqual({ cpus: 4, memoryBytes: 2 * GIBIBYTE });
  });

  it('the lowest limit of all parent groups applies', () => {
    const files = {
      'cgroup/user/cpu.max': '300000 100000\n',
      'cgroup/user/memory.max': `${8 * GIBIBYTE}\n`,
      'cgroup/user/job/cpu.max': 'max 100000\n',
      'cgroup/user/job/memory.max': 'max\n',
      'cgroup/user/job/cpuset.cpus.effective': '0-7\n',
    };
    expect(v2('/user/job', files)).toEqual({ cpus: 3, memoryBytes: 8 * GIBIBYTE });
  });

  test.each([
    ['0-3,8', 5],
    ['2', 1],
    ['0-1,4-5,9', 5],
  ])('the control group limits the process to the CPUs %s', (list, cpus) => {
    expect(v2('/job', { 'cgroup/job/cpuset.cpus.effective': `${list}\n` }).cpus).toBe(cpus);
  });

  test.each([
    ['half a CPU counts as one', '50000 100000', 1],
    ['two and a half CPUs count as two, because only whole CPUs are leased', '250000 100000', 2],
    ['without a quota, the affinity counts', 'max 100000', 16],
  ])('CPU quota: %s', (_, quota, cpus) => {
    expect(v2('/', { 'cgroup/cpu.max': `${quota}\n` }).cpus).toBe(cpus);
  });

  it('in a container that sees the path of its host, the mounted control groups count', () => {
    const files = { 'cgroup/memory.max': `${GIBIBYTE}\n`, 'cgroup/cpu.max': '200000 100000\n' };
    expect(v2('/docker/abc', files, '/docker/abc')).toEqual({ cpus: 2, memoryBytes: GIBIBYTE });
    expect(v2('/kubepods/pod1/abc', files)).toEqual({ cpus: 2, memoryBytes: GIBIBYTE });
    expect(v2('/../../other', files)).toEqual({ cpus: 2, memoryBytes: GIBIBYTE });
  });

  it('control groups v2 without limits limit nothing', () => {
    expect(v2('/', {})).toEqual({ cpus: 16, memoryBytes: undefined });
  });
});

describe('control groups of version 1', () => {
  const v1 = (files: Readonly<Record<string, string>>) =>
    folderOf({
      'self/mountinfo': [
        '32 31 0:29 / GROUPS/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
        '34 31 0:31 / GROUPS/cpuset rw - cgroup cgroup rw,cpuset',
        '35 31 0:32 / GROUPS/memory rw - cgroup cgroup rw,memory',
        '41 31 0:38 / GROUPS/unified rw - cgroup2 cgroup2 rw',
      ].join('\n'),
      'self/cgroup': '4:memory:/slurm/job_42\n3:cpuset:/slurm/job_42\n1:cpu,cpuacct:/slurm/job_42\n0::/\n',
      'self/status': 'Cpus_allowed_list:\t0-15\n',
      ...files,
    }).facts();

  it('control groups v1 limit each resource by its own controller', () => {
    const files = {
      'cgroup/cpu,cpuacct/slurm/job_42/cpu.cfs_quota_us': '600000\n',
      'cgroup/cpu,cpuacct/slurm/job_42/cpu.cfs_period_us': '100000\n',
      'cgroup/cpuset/slurm/job_42/cpuset.cpus': '0-3\n',
      'cgroup/memory/slurm/job_42/memory.limit_in_bytes': NO_BYTES,
      'cgroup/memory/slurm/memory.limit_in_bytes': `${4 * GIBIBYTE}\n`,
    };
    expect(v1(files)).toEqual({ cpus: 4, memoryBytes: 4 * GIBIBYTE });
  });

  it('control groups v1 without limits limit nothing', () => {
    const files = {
      'cgroup/cpu,cpuacct/slurm/job_42/cpu.cfs_quota_us': '-1\n',
      'cgroup/cpu,cpuacct/slurm/job_42/cpu.cfs_period_us': '100000\n',
      'cgroup/memory/slurm/job_42/memory.limit_in_bytes': NO_BYTES,
    };
    expect(v1(files)).toEqual({ cpus: 16, memoryBytes: undefined });
  });
});

describe('the resources that a runner offers', () => {
  it('a runner offers at most the limits of its control group, and says why it offers less than the machine has', () => {
    const { proc } = folderOf({
      'self/mountinfo': '36 25 0:30 / GROUPS rw - cgroup2 cgroup2 rw\n',
      'self/cgroup': '0::/\n',
      'cgroup/cpu.max': '100000 100000\n',
      'cgroup/memory.max': '1048576\n',
    });
    expect(hostFacts(proc)).toMatchObject({
      cpus: 1,
      memoryBytes: 1_048_576,
      limitedBy: ['its control group or affinity'],
    });
  });

  it('a runner offers the whole machine when /proc and the control groups say nothing', () => {
    const nothing = join(temporaryFolder(), 'missing');
    expect(groupLimits(nothing)).toEqual({ cpus: undefined, memoryBytes: undefined });
    expect(hostFacts(nothing).limitedBy).toEqual([]);
  });
});
