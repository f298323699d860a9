import { greater, minus, plus } from '../../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import type { ProcessRow } from '../rows/samples.ts';
import type { Portions } from '../rows/rows.ts';

/** The CPU time of a process; `name` identifies it in successive samples. */
export interface Counter {
  readonly name: string;
  readonly pid: string;
  readonly ppid: string;
  readonly seconds: Uint;
}

/**
 * CPU seconds of jobs from the counters of their processes.
 *
 * A counter includes the children that ended and were waited for. So when a process disappears, its parent's counter rises by
 * all that the process had used, which was counted already: what it had used when it was last seen is taken off the rise of
 * its parent. Counters that fall (a pid that was used again) start anew.
 */
export class CpuTime {
  /** By node, job and process: the counter at the latest sample. */
  readonly #jobs = new Map<
    string,
    Map<string, { readonly seconds: Uint; readonly pid: string; readonly ppid: string }>
  >();

  /**
   * CPU seconds that the processes of one job on one node used since the sample before; `rows` are those of one sample. At the
   * first sample of a process that is all that it has used.
   */
  since(jobKey: string, rows: readonly ProcessRow[]): Uint {
    return this.sinceCounters(
      jobKey,
      keyed(rows).map(([name, row]) => ({
        name,
        pid: String(row.pid),
        ppid: String(row.ppid),
        seconds: row.cpuTime,
      })),
    );
  }

  sinceCounters(jobKey: string, counters: Iterable<Counter>): Uint {
    const before = this.#jobs.get(jobKey) ?? new Map<string, never>();
    const now = new Map<string, { seconds: Uint; pid: string; ppid: string }>();
    for (const { name, ...counter } of counters) now.set(name, counter);
    this.#jobs.set(jobKey, now);
    const ended = new Map<string, Uint>();
    for (const [key, { seconds, ppid }] of before)
      if (!now.has(key)) ended.set(ppid, plus(ended.get(ppid) ?? 0, seconds));
    let total: Uint = 0;
    for (const [key, { seconds, pid }] of now) {
      const held = before.get(key)?.seconds ?? 0;
      const rise = seconds >= held ? minus(seconds, held) : seconds;
      total = plus(total, greater(0, minus(rise, before.has(key) && pid !== '0' ? (ended.get(pid) ?? 0) : 0)));
    }
    return total;
  }
}

/** What identifies a process in successive samples. Pid 0 stands for processes that were rolled up. */
export function keyed(rows: readonly ProcessRow[]): [string, ProcessRow][] {
  const ordinals = new Map<string, number>();
  return rows
    .filter(({ ord }) => ord !== undefined)
    .map((row) => {
      if (row.pid !== 0) return [String(row.pid), row];
      const group = `${row.ppid} ${row.cmd}`;
      const ordinal = ordinals.get(group) ?? 0;
      ordinals.set(group, ordinal + 1);
      return [`0 ${group} ${ordinal}`, row];
    });
}

type UseSample = (rows: readonly [ProcessRow, ...ProcessRow[]]) => void;

/** Calls `use` with the rows of each job of each sample, in their order: consecutive rows of one envelope and one job. */
export async function eachSample(
  portions: Portions<ProcessRow> | Iterable<readonly ProcessRow[]>,
  use: UseSample,
): Promise<void> {
  const samples = samplesFor(use);
  for await (const rows of portions) samples.read(rows);
  samples.end();
}

/** The same for rows that the caller reads, portion by portion; `end` is called behind the last one. */
export function samplesFor(use: UseSample): { read(rows: readonly ProcessRow[]): void; end(): void } {
  let open: ProcessRow[] = [];
  let envelope: number | undefined;
  const end = () => {
    for (const [first, ...rest] of byJob(open)) if (first !== undefined) use([first, ...rest]);
    open = [];
  };
  return {
    read(rows) {
      for (const row of rows) {
        if (row.envelope !== envelope) end();
        envelope = row.envelope;
        open.push(row);
      }
    },
    end,
  };
}

/** A job may have several entries in a sample. */
const byJob = (rows: readonly ProcessRow[]): Iterable<readonly ProcessRow[]> =>
  Map.groupBy(rows, (row) => `${row.job} ${row.epoch} ${row.user} ${row.job === 0 ? row.slot : ''}`).values();
