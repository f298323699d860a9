import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processorTicks } from './node-load.ts';

/** Energy of the processors of this machine, and the CPU time of its processes, since the meter was made. */
interface EnergyUse {
  readonly joules: number;
  readonly cpuSeconds: number;
}

export interface EnergyMeter {
  /** To be called more often than a counter overflows, which takes minutes. */
  look(): EnergyUse;
}

interface Counter {
  readonly path: string;
  readonly rangeMicrojoules: number;
  before: number;
}

/** `USER_HZ`, which is 100 on every Linux that a program sees. */
const TICKS_PER_SECOND = 100;

/**
 * The counters of energy (RAPL) of processors and memory in `/sys/class/powercap`; undefined where there are none, or where only
 * root may read them, as is usual since Linux 5.10.
 *
 * A package holds its cores, so that of the zones below it only memory (`dram`) counts by itself. `psys` is the whole machine and would count
 * both again.
 */
export function createEnergyMeter({ powercap = '/sys/class/powercap', proc = '/proc' } = {}): EnergyMeter | undefined {
  const counters = zonesOf(powercap).flatMap((zone) => counterOf(join(powercap, zone)) ?? []);
  if (counters.length === 0) return undefined;
  const busy = () => processorTicks(readFileSync(`${proc}/stat`, 'utf8')).busy / TICKS_PER_SECOND;
  const cpuBefore = busy();
  let joules = 0;
  return {
    look() {
      for (const counter of counters) {
        const now = numberIn(join(counter.path, 'energy_uj')) ?? counter.before;
        const step = now - counter.before;
        joules += (step < 0 ? step + counter.rangeMicrojoules : step) / 1e6;
        counter.before = now;
      }
      return { joules, cpuSeconds: busy() - cpuBefore };
    },
  };
}

function zonesOf(powercap: string): string[] {
  try {
    return readdirSync(powercap).filter((name) => /^intel-rapl:\d+(?::\d+)?$/.test(name));
  } catch {
    return [];
  }
}

function counterOf(path: string): Counter | undefined {
  try {
    const name = readFileSync(join(path, 'name'), 'utf8').trim();
    if (!/^(?:package|dram)/.test(name)) return undefined;
  } catch {
    return undefined;
  }
  const before = numberIn(join(path, 'energy_uj'));
  const rangeMicrojoules = numberIn(join(path, 'max_energy_range_uj'));
  return before === undefined || rangeMicrojoules === undefined ? undefined : { path, rangeMicrojoules, before };
}

function numberIn(path: string): number | undefined {
  try {
    const value = Number(readFileSync(path, 'utf8').trim());
    return Number.isFinite(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
