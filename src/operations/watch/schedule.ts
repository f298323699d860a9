import type { Memory } from './memory.ts';
import type { Round, WatchOptions, WatchTools } from './tools.ts';

/** Whether jobs that came up meanwhile are enough, or wait long enough, for allocations of their own. */
export async function isExtraDue(tools: WatchTools, { autoSchedule }: WatchOptions, memory: Memory): Promise<boolean> {
  if (autoSchedule === undefined) return false;
  const jobs = await tools.extraJobs();
  const now = tools.nowMs();
  memory.extraSinceMs = jobs === 0 ? undefined : (memory.extraSinceMs ?? now);
  const { threshold, cooldownMs, strandedMs } = autoSchedule;
  const isCool = memory.scheduledAtMs === undefined || now - memory.scheduledAtMs >= cooldownMs;
  const isStranded = memory.extraSinceMs !== undefined && now - memory.extraSinceMs >= strandedMs;
  return jobs > 0 && isCool && (jobs >= threshold || isStranded);
}

/** Submits allocations for the jobs that wait. */
export async function scheduled(tools: WatchTools, memory: Memory): Promise<Pick<Round, 'submitted' | 'warnings'>> {
  const done = await tools.schedule();
  memory.submitted = [...memory.submitted, ...done.submitted];
  memory.scheduledAtMs = tools.nowMs();
  memory.extraSinceMs = undefined;
  tools.report('info', `Submitted ${done.submitted.length} allocation(s) for jobs that wait`);
  return done;
}
