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

export function energyOf({ cores, gigabytes, gpus }: UsedHours, { overhead, gramsPerKwh }: EnergyOptions): Energy {
  const { wattsPerCore, wattsPerGigabyte, wattsPerGpu } = ENERGY_MODEL;
  const wattHours = cores * wattsPerCore + gigabytes * wattsPerGigabyte + gpus * wattsPerGpu;
  const kwh = (wattHours * overhead) / 1000;
  return { kwh, grams: gramsPerKwh === undefined ? undefined : kwh * gramsPerKwh };
}
