import type { ProcessRecord } from './records.ts';

/** Which processes a sample has. */
export interface SampleFilters {
  readonly excludeSystemJobs: boolean;
  readonly excludeUsers: readonly string[];
  /** Beginnings of commands. */
  readonly excludeCommands: readonly string[];
  /** If any of the three is given, a process has to reach at least one. */
  readonly minCpuSeconds: number | undefined;
  readonly minCpuPercent: number | undefined;
  readonly minMemoryPercent: number | undefined;
}

export const NO_FILTERS: SampleFilters = {
  excludeSystemJobs: false,
  excludeUsers: [],
  excludeCommands: [],
  minCpuSeconds: undefined,
  minCpuPercent: undefined,
  minMemoryPercent: undefined,
};

/** Users of a system have numbers below this. */
const FIRST_USER_ID = 1000;

/** Whether the sample has this process. `memoryBytes` is that of the node. */
export function isWanted(record: ProcessRecord, filters: SampleFilters, memoryBytes: number | undefined): boolean {
  const { minCpuSeconds, minCpuPercent, minMemoryPercent } = filters;
  const reached = [
    minCpuSeconds === undefined ? undefined : record.cpu_time >= minCpuSeconds,
    minCpuPercent === undefined ? undefined : record.cpu_avg >= minCpuPercent,
    minMemoryPercent === undefined || memoryBytes === undefined
      ? undefined
      : (record.residentBytes / memoryBytes) * 100 >= minMemoryPercent,
  ].filter((each) => each !== undefined);
  if (reached.length > 0 && !reached.includes(true)) return false;
  const { userId } = record;
  if (filters.excludeSystemJobs && userId !== undefined && userId < FIRST_USER_ID && !record.in_container) return false;
  return (
    !filters.excludeUsers.includes(record.user) &&
    !filters.excludeCommands.some((beginning) => record.cmd.startsWith(beginning))
  );
}
