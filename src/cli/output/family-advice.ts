import type { FamilyAdvice, UseSpread } from '../../core/lifecycle/resources/family-advice.ts';
import {
  allCoreHours,
  coreHoursWords,
  largestFamilies,
  MOST_FAMILIES,
} from '../../core/lifecycle/resources/family-json.ts';
import { counted } from '../../core/quantity/count-text.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { printableLine } from '../../core/text/printable.ts';

/** `align_# (50 jobs): 3m 12s at most 4m 01s; memory 1.2 GiB at most 1.4 GiB; CPUs 0.9 at most 1.0`, and what was saved. */
export function familyLines(families: readonly FamilyAdvice[]): string[] {
  return [
    'What they used (median, and at most):',
    ...largestFamilies(families).map((family) => `  ${familyLine(family)}`),
    ...(families.length > MOST_FAMILIES ? [`  … and ${families.length - MOST_FAMILIES} more families`] : []),
    `Core hours: ${coreHoursWords(allCoreHours(families))}`,
  ];
}

function familyLine({ name, jobs, seconds, memoryBytes, cpuPercent, unchangedBecause, ...gpus }: FamilyAdvice): string {
  const { gpuMemoryBytes, gpuBytes } = gpus;
  const both = (spread: UseSpread, text: (value: number) => string) => `${text(spread.median)}, ${text(spread.most)}`;
  const used = [
    ...(seconds ? [`time ${both(seconds, timeText)}`] : []),
    ...(memoryBytes ? [`memory ${both(memoryBytes, sizeText)}`] : []),
    ...(cpuPercent ? [`CPUs ${both(cpuPercent, (percent) => (percent / 100).toFixed(1))}`] : []),
    ...(gpuMemoryBytes
      ? [`GPU memory ${both(gpuMemoryBytes, sizeText)}${gpuBytes === undefined ? '' : ` of ${sizeText(gpuBytes)}`}`]
      : []),
  ];
  const why = unchangedBecause === undefined ? '' : ` – stays, because ${unchangedBecause}`;
  return `${printableLine(name)} (${counted(jobs, 'job')})${used.length === 0 ? '' : `: ${used.join('; ')}`}${why}`;
}
