import { environmentOf, valueIn } from '../../../cluster/host/environment-of.ts';
import { openProcessTable } from '../../../cluster/host/proc.ts';
import { MARK_VARIABLE } from '../../../core/attempt/belongs-to.ts';

/** What the processes of a job use now. */
export interface LiveUse {
  /** 100 is one core: since the look before, at the first one since the start of the job. */
  readonly cpuPercent: number;
  /** Memory that processes share counts in each of them. */
  readonly memoryBytes: number;
}

/** A running job of a runner on this machine. */
interface LocalJob {
  readonly id: number;
  /** The mark of its runner, which its processes have in their environment. */
  readonly mark: string;
  readonly startMs: number;
}

export interface LiveUses {
  /** The use of each of these jobs that has a process here. */
  look(jobs: readonly LocalJob[], nowMs: number): ReadonlyMap<number, LiveUse>;
  close(): void;
}

/**
 * Measures running jobs from outside, by the marks in the environment of their processes. `root` is /proc, or a folder with
 * the same layout.
 *
 * Each environment is read once. Where there is no /proc, nothing is known.
 */
export function openLiveUses(root = '/proc'): LiveUses {
  const table = openProcessTable(root);
  /** The job of each process, by its id and its start. */
  let owners = new Map<string, string>();
  let before = new Map<number, { readonly cpuSeconds: number; readonly atMs: number }>();

  const ownerOf = (pid: number): string => {
    const environment = environmentOf(pid, root);
    return `${valueIn(environment, MARK_VARIABLE) ?? ''} ${valueIn(environment, 'TORC_JOB_ID') ?? ''}`;
  };

  return {
    look(jobs, nowMs) {
      const byKey = new Map(jobs.map((job) => [`${job.mark} ${job.id}`, job]));
      const sums = new Map<LocalJob, { cpuSeconds: number; memoryBytes: number }>();
      const seen = new Map<string, string>();
      for (const each of processesOf(table)) {
        const key = `${each.pid} ${each.startTicks}`;
        const owner = owners.get(key) ?? ownerOf(each.pid);
        seen.set(key, owner);
        const job = byKey.get(owner);
        if (job === undefined) continue;
        const sum = sums.get(job) ?? { cpuSeconds: 0, memoryBytes: 0 };
        sum.cpuSeconds += each.cpuSeconds + each.waitedCpuSeconds;
        sum.memoryBytes += each.residentBytes;
        sums.set(job, sum);
      }
      owners = seen;
      const uses = new Map<number, LiveUse>();
      const next: typeof before = new Map();
      for (const [{ id, startMs }, { cpuSeconds, memoryBytes }] of sums) {
        const last = before.get(id) ?? { cpuSeconds: 0, atMs: startMs };
        const seconds = (nowMs - last.atMs) / 1000;
        // A process that ended without its parent takes its time with it.
        const spent = Math.max(0, cpuSeconds - last.cpuSeconds);
        uses.set(id, { cpuPercent: seconds > 0 ? (100 * spent) / seconds : 0, memoryBytes });
        next.set(id, { cpuSeconds, atMs: nowMs });
      }
      before = next;
      return uses;
    },
    close: () => table.close(),
  };
}

function processesOf(table: ReturnType<typeof openProcessTable>) {
  try {
    return table.read();
  } catch {
    return [];
  }
}
