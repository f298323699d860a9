import { FEWEST_JOBS } from '../../core/lifecycle/resources/correct-resources.ts';
import type { FamilyAdvice, UseSpread } from '../../core/lifecycle/resources/family-advice.ts';
import { LEAST_DIFFERENCE, SHORTEST_FOR_CPUS_SECONDS } from '../../core/lifecycle/resources/resource-use.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import { counted } from '../../core/quantity/count-text.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { printableLine } from '../../core/text/printable.ts';

/** Families that a person reads. */
const MOST_FAMILIES = 50;

/** What the families used and should ask for, for programs: numbers in bytes, percent of a core and seconds. */
export function familiesJson(families: readonly FamilyAdvice[]) {
  const { asked, used, saved } = coreHoursOf(families);
  return {
    families: largest(families).map(familyJson),
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
  asked: amountsJson(asked),
  advised: { ...(advised.name === asked.name ? {} : { name: advised.name }), ...amountsJson(advised) },
  core_hours_saved: rounded(coreHours.saved),
  ...(unchangedBecause === undefined ? {} : { unchanged_because: unchangedBecause }),
});

const spreadJson = ({ jobs, median, most }: UseSpread) => ({ jobs, median: rounded(median), max: rounded(most) });
const amountsJson = ({ num_cpus, memory, runtime }: ResourceRequirements) => ({ num_cpus, memory, runtime });
const rounded = (value: number) => Math.round(value * 1000) / 1000;

/** `align_# (50 jobs): 3m 12s at most 4m 01s; memory 1.2 GiB at most 1.4 GiB; CPUs 0.9 at most 1.0`, and what was saved. */
export function familyLines(families: readonly FamilyAdvice[]): string[] {
  const { asked, used, saved } = coreHoursOf(families);
  const hours = (value: number) => value.toFixed(value < 10 ? 2 : 0);
  return [
    'What they used (median, and at most):',
    ...largest(families).map((family) => `  ${familyLine(family)}`),
    ...(families.length > MOST_FAMILIES ? [`  … and ${families.length - MOST_FAMILIES} more families`] : []),
    `Core hours: ${hours(asked)} asked for${used > 0 ? `, ${hours(used)} used` : ''}; ${saved < 0 ? `the advice costs ${hours(-saved)} more` : `the advice saves ${hours(saved)}`}`,
  ];
}

function familyLine({ name, jobs, seconds, memoryBytes, cpuPercent, unchangedBecause }: FamilyAdvice): string {
  const both = (spread: UseSpread, text: (value: number) => string) => `${text(spread.median)}, ${text(spread.most)}`;
  const used = [
    ...(seconds ? [`time ${both(seconds, timeText)}`] : []),
    ...(memoryBytes ? [`memory ${both(memoryBytes, sizeText)}`] : []),
    ...(cpuPercent ? [`CPUs ${both(cpuPercent, (percent) => (percent / 100).toFixed(1))}`] : []),
  ];
  const why = unchangedBecause === undefined ? '' : ` – stays, because ${unchangedBecause}`;
  return `${printableLine(name)} (${counted(jobs, 'job')})${used.length === 0 ? '' : `: ${used.join('; ')}`}${why}`;
}

const largest = (families: readonly FamilyAdvice[]) =>
  families.toSorted((a, b) => b.jobs - a.jobs).slice(0, MOST_FAMILIES);

function coreHoursOf(families: readonly FamilyAdvice[]) {
  const sum = (of: (family: FamilyAdvice) => number) => families.reduce((total, family) => total + of(family), 0);
  return {
    asked: sum(({ coreHours }) => coreHours.asked),
    used: sum(({ coreHours }) => coreHours.used ?? 0),
    saved: sum(({ coreHours }) => coreHours.saved),
  };
}
