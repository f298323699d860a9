import type { ResourceRequirements } from '../../contract/resources.ts';
import { FEWEST_JOBS } from './correct-resources.ts';
import type { FamilyAdvice, UseSpread } from './family-advice.ts';
import { LEAST_DIFFERENCE, SHORTEST_FOR_CPUS_SECONDS } from './resource-use.ts';

/** Families that a person reads. */
export const MOST_FAMILIES = 50;

/** What the families used and should ask for, for programs: numbers in bytes, percent of a core and seconds. */
export function familiesJson(families: readonly FamilyAdvice[]) {
  const { asked, used, saved } = allCoreHours(families);
  return {
    families: largestFamilies(families).map(familyJson),
    ...(families.length > MOST_FAMILIES ? { families_left_out: families.length - MOST_FAMILIES } : {}),
    core_hours: { asked: rounded(asked), ...(used > 0 ? { used: rounded(used) } : {}), saved: rounded(saved) },
    rule: {
      fewest_jobs: FEWEST_JOBS,
      least_difference_percent: LEAST_DIFFERENCE * 100,
      shortest_seconds_for_cpus: SHORTEST_FOR_CPUS_SECONDS,
    },
  };
}

const familyJson = ({ name, jobs, ended, asked, advised, coreHours, unchangedBecause, ...used }: FamilyAdvice) => ({
  name,
  resource_requirements_name: asked.name,
  jobs,
  ended,
  ...(used.seconds && { seconds: spreadJson(used.seconds) }),
  ...(used.memoryBytes && { memory_bytes: spreadJson(used.memoryBytes) }),
  ...(used.cpuPercent && { cpu_percent: spreadJson(used.cpuPercent) }),
  ...(used.gpuMemoryBytes && { gpu_memory_bytes: spreadJson(used.gpuMemoryBytes) }),
  ...(used.gpuBytes === undefined ? {} : { gpu_memory_of_cards_bytes: used.gpuBytes }),
  asked: amountsJson(asked),
  advised: { ...(advised.name === asked.name ? {} : { name: advised.name }), ...amountsJson(advised) },
  core_hours: rounded(coreHours.asked),
  core_hours_saved: rounded(coreHours.saved),
  ...(unchangedBecause === undefined ? {} : { unchanged_because: unchangedBecause }),
});

const spreadJson = ({ jobs, median, most }: UseSpread) => ({ jobs, median: rounded(median), max: rounded(most) });
const amountsJson = ({ num_cpus, num_gpus, memory, runtime }: ResourceRequirements) => ({
  num_cpus,
  ...(num_gpus ? { num_gpus } : {}),
  memory,
  runtime,
});
const rounded = (value: number) => Math.round(value * 1000) / 1000;

export const largestFamilies = (families: readonly FamilyAdvice[]) =>
  families.toSorted((a, b) => b.jobs - a.jobs).slice(0, MOST_FAMILIES);

/** `12 asked for, 9.50 used; the advice saves 3.10`. */
export function coreHoursWords({ asked, used, saved }: ReturnType<typeof allCoreHours>): string {
  const hours = (value: number) => value.toFixed(value < 10 ? 2 : 0);
  const advice = saved < 0 ? `the advice costs ${hours(-saved)} more` : `the advice saves ${hours(saved)}`;
  return `${hours(asked)} asked for${used > 0 ? `, ${hours(used)} used` : ''}; ${advice}`;
}

/** The core hours of all families together. */
export function allCoreHours(families: readonly FamilyAdvice[]) {
  const sum = (of: (family: FamilyAdvice) => number) => families.reduce((total, family) => total + of(family), 0);
  return {
    asked: sum(({ coreHours }) => coreHours.asked),
    used: sum(({ coreHours }) => coreHours.used ?? 0),
    saved: sum(({ coreHours }) => coreHours.saved),
  };
}
