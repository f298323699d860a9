import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type ControlGroup, groupOf, limitedGroup, type Roots, useOfGroup } from './control-group.ts';

/** The load of the machine, or of the part of it that we may use. */
export interface NodeLoad {
  /** 100 means all CPUs. Undefined at the first sample, because it takes two. */
  readonly cpuPercent: number | undefined;
  readonly memoryBytes: number;
  readonly totalMemoryBytes: number;
}

export interface NodeMeter {
  /** The load since the previous sample. `nowMs` comes from a monotonic clock. */
  look(nowMs: number): NodeLoad;
}

/**
 * Measures the machine, or the control group with a memory limit that this process is in: on a shared node, the load of
 * others is excluded.
 */
export function createNodeMeter(roots: Roots = {}): NodeMeter {
  const { proc = '/proc', groups = '/sys/fs/cgroup' } = roots;
  const own = groupOf('self', roots);
  const group = own === undefined ? undefined : limitedGroup(own, groups);
  return group === undefined ? ofMachine(proc) : ofGroup(group, ofMachine(proc));
}

function ofMachine(proc: string): NodeMeter {
  let before: { busy: number; total: number } | undefined;
  return {
    look() {
      const now = processorTicks(readFileSync(`${proc}/stat`, 'utf8'));
      const memory = readFileSync(`${proc}/meminfo`, 'utf8');
      const totalMemoryBytes = kibibytesIn(memory, 'MemTotal') * 1024;
      const elapsed = before === undefined ? 0 : now.total - before.total;
      const cpuPercent =
        before === undefined || elapsed <= 0 ? undefined : Math.max(0, ((now.busy - before.busy) / elapsed) * 100);
      before = now;
      return {
        cpuPercent,
        memoryBytes: totalMemoryBytes - kibibytesIn(memory, 'MemAvailable') * 1024,
        totalMemoryBytes,
      };
    },
  };
}

function ofGroup(group: ControlGroup, machine: NodeMeter): NodeMeter {
  let before: { cpuSeconds: number; atMs: number } | undefined;
  return {
    look(nowMs) {
      const whole = machine.look(nowMs);
      const use = useOfGroup(group);
      if (use === undefined) return whole;
      const { cpuSeconds } = use;
      const elapsed = before === undefined ? 0 : (nowMs - before.atMs) / 1000;
      const cpuPercent =
        cpuSeconds === undefined
          ? whole.cpuPercent
          : before === undefined || elapsed <= 0
            ? undefined
            : Math.max(0, ((cpuSeconds - before.cpuSeconds) / elapsed / availableParallelism()) * 100);
      if (cpuSeconds !== undefined) before = { cpuSeconds, atMs: nowMs };
      return { cpuPercent, memoryBytes: use.memoryBytes, totalMemoryBytes: use.limitBytes ?? whole.totalMemoryBytes };
    },
  };
}

/** The first line of /proc/stat: ticks of all CPUs since the boot, by kind. */
/** Ticks since the boot in which CPUs were busy, and all, in the text of `/proc/stat`. */
export function processorTicks(text: string): { busy: number; total: number } {
  const [, line = ''] = /^cpu +(.*)$/m.exec(text) ?? [];
  // user nice system idle iowait irq softirq steal; user and nice already include the guests.
  const ticks = line.split(' ').slice(0, 8).map(Number);
  const total = ticks.reduce((sum, each) => sum + each, 0);
  return { busy: total - (ticks[3] ?? 0) - (ticks[4] ?? 0), total };
}

function kibibytesIn(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
}
