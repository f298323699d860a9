import type { Hours, RunnerShare } from './costs.ts';

/**
 * The energy of jobs by a model: what they kept busy and held, times what one of it usually takes.
 *
 * Source: Lannelongue, Grealey, Inouye: Green Algorithms (Advanced Science, 2021): 12 W a core where the processor is not
 * known, 0.3725 W a gigabyte of memory, 200 W a GPU where it is not known.
 */
export const ENERGY_MODEL = { wattsPerCore: 12, wattsPerGigabyte: 0.3725, wattsPerGpu: 200 } as const;

/** Hours of what jobs used. */
export interface UsedHours {
  /** Those that CPUs were busy; where nothing was measured, those that were asked for. */
  readonly cores: number;
  readonly gigabytes: number;
  readonly gpus: number;
}

export interface EnergyOptions {
  /** What the site takes in all for each kWh of the machine: 1 is no cooling and no loss. */
  readonly overhead: number;
  /** Grams of CO₂ for each kWh; a person sets it, because it depends on the place and the hour. */
  readonly gramsPerKwh: number | undefined;
}

export interface Energy {
  readonly kwh: number;
  /** Undefined without a factor. */
  readonly grams: number | undefined;
}

const JOULES_PER_KWH = 3.6e6;

/**
 * What the counters of runners say of the energy of jobs, and the hours that they say nothing of, for the model.
 *
 * The energy of a machine is shared out by CPU time: jobs have as much of it as they have of the CPU time of all processes, so the
 * rest that an idle machine takes goes with it. Counters are of processors and memory. GPUs have the power that was seen of them while an attempt used
 * them; those of other attempts are left to the model.
 */
export function countedEnergy(total: Hours, shares: readonly RunnerShare[]): { kwh: number; rest: UsedHours } {
  const busyOf = ({ asked, used, measured }: Hours) => used + asked - measured;
  let [kwh, cores, gigabytes] = [total.gpuKwh, busyOf(total), total.gigabytes];
  for (const { runner, hours } of shares) {
    const { energy_joules: joules, machine_cpu_seconds: seconds } = runner;
    if (typeof joules !== 'number' || typeof seconds !== 'number' || seconds <= 0 || joules <= 0) continue;
    kwh += (joules / JOULES_PER_KWH) * Math.min(1, (busyOf(hours) * 3600) / seconds);
    cores -= busyOf(hours);
    gigabytes -= hours.gigabytes;
  }
  const gpus = Math.max(0, total.gpus - total.countedGpus);
  return { kwh, rest: { cores: Math.max(0, cores), gigabytes: Math.max(0, gigabytes), gpus } };
}

export function energyOf(
  { cores, gigabytes, gpus }: UsedHours,
  { overhead, gramsPerKwh }: EnergyOptions,
  countedKwh = 0,
): Energy {
  const { wattsPerCore, wattsPerGigabyte, wattsPerGpu } = ENERGY_MODEL;
  const wattHours = cores * wattsPerCore + gigabytes * wattsPerGigabyte + gpus * wattsPerGpu;
  const kwh = (wattHours / 1000 + countedKwh) * overhead;
  return { kwh, grams: gramsPerKwh === undefined ? undefined : kwh * gramsPerKwh };
}
