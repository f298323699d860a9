import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { groupOf, limitedGroup, type Roots, useOfGroup } from './control-group.ts';
import { createNodeMeter } from './node-load.ts';

/** Folders with the layout of /proc and /sys/fs/cgroup. */
function machine(files: Readonly<Record<string, string>>): Required<Roots> & { set(path: string, text: string): void } {
  const root = temporaryFolder();
  const set = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) set(path, text);
  return { proc: join(root, 'proc'), groups: join(root, 'groups'), set };
}

const STEP = 'system.slice/slurmstepd.scope/job_7/step_3';
const second = {
  'proc/self/cgroup': '0::/system.slice/slurmstepd.scope/job_7/step_batch/user/task_0\n',
  'proc/42/cgroup': `0::/${STEP}/user/task_0\n`,
  'groups/system.slice/slurmstepd.scope/job_7/memory.max': '8589934592\n',
  'groups/system.slice/slurmstepd.scope/job_7/memory.current': '5000\n',
  'groups/system.slice/slurmstepd.scope/job_7/memory.stat': 'anon 3000\ninactive_file 900\nactive_file 100\n',
  'groups/system.slice/slurmstepd.scope/job_7/cpu.stat': 'usage_usec 10000000\nuser_usec 1\n',
  'groups/system.slice/slurmstepd.scope/job_7/step_batch/user/task_0/memory.current': '10\n',
  'groups/system.slice/slurmstepd.scope/job_7/step_batch/user/task_0/memory.max': 'max\n',
  [`groups/${STEP}/memory.current`]: '700\n',
  [`groups/${STEP}/memory.stat`]: 'inactive_file 100\n',
  [`groups/${STEP}/cpu.stat`]: 'usage_usec 2500000\n',
  [`groups/${STEP}/user/task_0/memory.current`]: '600\n',
};
const first = {
  'proc/42/cgroup': '4:memory:/slurm/uid_1/job_7/step_3/task_0\n2:cpuacct,cpu:/slurm/uid_1/job_7/step_3/task_0\n0::/\n',
  'groups/memory/slurm/uid_1/job_7/step_3/task_0/memory.usage_in_bytes': '900\n',
  'groups/memory/slurm/uid_1/job_7/step_3/memory.usage_in_bytes': '1000\n',
  'groups/memory/slurm/uid_1/job_7/step_3/memory.stat':
    'inactive_file 1\ntotal_inactive_file 200\ntotal_active_file 50\n',
  'groups/memory/slurm/uid_1/job_7/step_3/memory.limit_in_bytes': '9223372036854771712\n',
  'groups/memory/slurm/uid_1/job_7/memory.limit_in_bytes': '4096\n',
  'groups/cpuacct/slurm/uid_1/job_7/step_3/cpuacct.usage': '1500000000\n',
};

describe('a control group', () => {
  it('a control group v2 reports memory without the page cache, its CPU time and its limit', () => {
    const roots = machine(second);
    const own = groupOf('self', roots);
    const limited = own && limitedGroup(own, roots.groups);
    expect(limited && useOfGroup(limited)).toEqual({ cpuSeconds: 10, memoryBytes: 4000, limitBytes: 8_589_934_592 });
  });

  it('a control group v1 reports its figures from two trees', () => {
    const roots = machine(first);
    const group = groupOf(42, roots);
    expect(group && limitedGroup(group, roots.groups)?.memoryFolder).toBe(
      join(roots.groups, 'memory/slurm/uid_1/job_7'),
    );
    const step = {
      version: 1 as const,
      memoryFolder: join(roots.groups, 'memory/slurm/uid_1/job_7/step_3'),
      cpuFolder: join(roots.groups, 'cpuacct/slurm/uid_1/job_7/step_3'),
    };
    expect(useOfGroup(step)).toEqual({ memoryBytes: 750, cpuSeconds: 1.5, limitBytes: undefined });
  });

  it('there is no control group where the kernel shows none, and no limit where none is set', () => {
    expect(groupOf('self', machine({}))).toBeUndefined();
    const roots = machine({
      'proc/self/cgroup': '0::/\n',
      'groups/memory.current': '5\n',
      'groups/memory.max': 'max\n',
    });
    const own = groupOf('self', roots);
    expect([own !== undefined, own && limitedGroup(own, roots.groups)]).toEqual([true, undefined]);
  });
});

describe('the load of the node', () => {
  const stat = (busy: number, idle: number) => `cpu  ${busy} 0 0 ${idle} 0 0 0 0 0 0\ncpu0 1 1 1 1\n`;
  const meminfo = 'MemTotal:  1000 kB\nMemFree:  100 kB\nMemAvailable:  400 kB\n';

  it('the CPU load of all CPUs is known from the second sample on, the memory at once', () => {
    const roots = machine({ 'proc/stat': stat(100, 100), 'proc/meminfo': meminfo });
    const meter = createNodeMeter(roots);
    const memory = { memoryBytes: 600 * 1024, totalMemoryBytes: 1000 * 1024 };
    expect(meter.look(0)).toEqual({ cpuPercent: undefined, ...memory });
    roots.set('proc/stat', stat(175, 125));
    expect(meter.look(1000)).toEqual({ cpuPercent: 75, ...memory });
    expect(meter.look(1000)).toEqual({ cpuPercent: undefined, ...memory });
  });

  it('the load is that of the allocation where the kernel limits it to a part of the node', () => {
    const roots = machine({ ...second, 'proc/stat': stat(100, 100), 'proc/meminfo': meminfo });
    const meter = createNodeMeter(roots);
    meter.look(0);
    roots.set('groups/system.slice/slurmstepd.scope/job_7/cpu.stat', 'usage_usec 12000000\n');
    const { cpuPercent, ...memory } = meter.look(4000);
    expect(memory).toEqual({ memoryBytes: 4000, totalMemoryBytes: 8_589_934_592 });
    // Two seconds of CPU time in four seconds, on all CPUs that this process may use.
    expect((cpuPercent as number) * navigator.hardwareConcurrency).toBeCloseTo(50, 5);
  });
});
