import { greater } from '../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';
import { storedJson } from '../store/rows/cells.ts';
import type { SlurmJobRow } from '../store/rows/records.ts';
import type { TelemetryRows, AskedWindow } from '../store/rows/rows.ts';
import { type JobUseInWindow, jobsOf } from './jobs.ts';
import { memoryOfSteps } from './memory-of-steps.ts';

const HOUR = 3600;
/** A greedy job used less than this share of what it asked for, and ran for this long. */
const GREEDY_PERCENT = 25;
const GREEDY_SECONDS = 600;

/** Finished Slurm jobs that used little of what they asked for, by the accounting of Slurm, and their memory by samples if there are any. */
export async function greedyJobs(source: TelemetryRows, window: AskedWindow) {
  const ended: { job: SlurmJobRow; all: readonly SlurmJobRow[] }[] = [];
  for (const job of await source.slurmJobs(window)) {
    if (window.user !== undefined && job.user !== window.user) continue;
    if (job.end === undefined || job.start === undefined || job.end < window.from || job.end >= window.until) continue;
    if (job.end - job.start < GREEDY_SECONDS) continue;
    ended.push({ job, all: await source.slurmJob(job.cluster, job.job) });
  }
  const sampled = new Map<string, JobUseInWindow>();
  if (ended.length > 0)
    for (const each of await jobsOf(source, window))
      if (each.epoch === 0) sampled.set(`${each.cluster} ${each.job}`, each);
  return ended.flatMap(({ job, all }) => {
    const [begin, end] = [job.start ?? 0, job.end ?? 0];
    const elapsed = end - begin;
    const fields = all.map((each) => storedJson(each.fields) as Record<string, unknown[]>);
    const amount = (entry: Record<string, unknown[]> | undefined, name: string) => (entry?.[name]?.[2] ?? 0) as Uint;
    const value = (...of: Parameters<typeof amount>) => Number(amount(...of));
    const [main] = fields;
    const cpus = value(main, 'requested_cpus');
    const nodes = Math.max(1, value(main, 'requested_node_count'));
    // Steps have what the job used; the job itself has it where it has no step.
    const own = all.length === 1 ? all : all.slice(1);
    const steps = own.map((row) => {
      const entry = fields[all.indexOf(row)];
      return {
        step: row.step,
        begin: row.start ?? begin,
        end: row.end ?? end,
        cpus: value(entry, 'requested_cpus') || cpus,
        maxRss: amount(entry, 'sacct.MaxRSS'),
        aveRss: amount(entry, 'sacct.AveRSS'),
        cpuSeconds: value(entry, 'sacct.UserCPU') + value(entry, 'sacct.SystemCPU'),
        aveCpuSeconds: value(entry, 'sacct.AveCPU'),
      };
    });
    const used = steps.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
    const seen = sampled.get(`${job.cluster} ${job.job}`);
    // Samples of all its nodes say how much was used at one moment; otherwise it is at most so much.
    const isSeen = seen !== undefined && seen.nodes.length >= nodes && seen.samples > 1;
    const largest = steps.reduce<Uint>((most, { maxRss }) => greater(most, maxRss), 0);
    const memory = isSeen ? greater(seen.peakMemoryKb, largest) : memoryOfSteps(steps);
    const asked = value(main, 'requested_memory_per_node') * nodes;
    const isLittle = (part: number, whole: number) => whole > 0 && (100 * part) / whole < GREEDY_PERCENT;
    const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(0)} %`;
    const reasons = [
      ...(isLittle(used, cpus * elapsed) ? [`${percent(used, cpus * elapsed)} of ${cpus} CPUs`] : []),
      ...(Number(memory) > 0 && isLittle(Number(memory), asked)
        ? [`${percent(Number(memory), asked)} of the memory`]
        : []),
    ];
    if (reasons.length === 0) return [];
    return [
      {
        cluster: job.cluster,
        subject: `job ${job.job}`,
        user: job.user,
        cpuHours: used / HOUR,
        memoryKb: memory,
        first: begin,
        last: end,
        reason: `used ${reasons.join(' and ')}`,
      },
    ];
  });
}
