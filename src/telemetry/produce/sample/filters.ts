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
export function isWanted(
  { process, userId, user, residentBytes }: ProcessRecord,
  filters: SampleFilters,
  memoryBytes: number | undefined,
): boolean {
  const { minCpuSeconds, minCpuPercent, minMemoryPercent } = filters;
  const reached = [
    minCpuSeconds === undefined ? undefined : process.cpu_time >= minCpuSeconds,
    minCpuPercent === undefined ? undefined : process.cpu_avg >= minCpuPercent,
    minMemoryPercent === undefined || memoryBytes === undefined
      ? undefined
      : (residentBytes / memoryBytes) * 100 >= minMemoryPercent,
  ].filter((each) => each !== undefined);
  if (reached.length > 0 && !reached.includes(true)) return false;
  if (filters.excludeSystemJobs && userId !== undefined && userId < FIRST_USER_ID && !process.in_container)
    return false;
  return (
    !filters.excludeUsers.includes(user) &&
    !filters.excludeCommands.some((beginning) => process.cmd.startsWith(beginning))
  );
}
