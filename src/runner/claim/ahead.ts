import type { AheadJob, ClaimedJob } from '../../core/contract/exchange.ts';

/** What became of a job that another waits for: `open` while this runner holds it, `gone` when it will not complete here. */
export type Parent = 'open' | 'completed' | 'gone';

/**
 * The jobs that a runner claimed ahead: each waits for jobs which the same runner holds, and for nothing else.
 *
 * When the last of these has completed, the job starts without asking the server. When one of them ends otherwise, or is
 * given back, the jobs that wait for it are given back, too, and what waits for those.
 */
export interface AheadJobs {
  readonly size: number;
  ids(): number[];
  /** Takes in what the server assigned; returns the jobs that wait for nothing any more, and ids that are to be given back. */
  add(jobs: readonly AheadJob[], parentOf: (id: number) => Parent): Changed;
  /** A job of this runner completed: the jobs that may start now. */
  completed(id: number): ClaimedJob[];
  /** A job of this runner will not complete here: ids of the jobs that can therefore not start here. */
  gone(id: number): number[];
  /** Forgets these jobs, and what waits for them; returns their ids. */
  drop(isMeant: (job: ClaimedJob) => boolean): number[];
  /** Forgets all of them; returns their ids. */
  clear(): number[];
}

interface Changed {
  readonly free: readonly ClaimedJob[];
  readonly gone: readonly number[];
}

interface Waiting {
  readonly job: AheadJob;
  readonly waitsFor: Set<number>;
}

export function createAheadJobs(): AheadJobs {
  const waiting = new Map<number, Waiting>();
  /** Ids of the jobs that wait for a job. */
  const dependents = new Map<number, Set<number>>();

  const forget = (id: number): void => {
    for (const parent of waiting.get(id)?.waitsFor ?? []) {
      const others = dependents.get(parent);
      others?.delete(id);
      if (others?.size === 0) dependents.delete(parent);
    }
    waiting.delete(id);
  };

  const gone = (id: number): number[] => {
    const lost: number[] = [];
    const stack = [id];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      for (const dependent of dependents.get(next) ?? []) {
        forget(dependent);
        lost.push(dependent);
        stack.push(dependent);
      }
    }
    return lost;
  };

  return {
    get size() {
      return waiting.size;
    },
    ids: () => [...waiting.keys()],
    add(jobs, parentOf) {
      const free: ClaimedJob[] = [];
      const lost: number[] = [];
      const known = new Set<number>();
      for (const job of jobs) {
        if (waiting.has(job.id)) continue;
        const isOpen = (id: number) => waiting.has(id) || free.some((other) => other.id === id);
        const parents = job.waits_for.map((id) => [id, isOpen(id) ? 'open' : parentOf(id)] as const);
        if (parents.some(([id, parent]) => parent === 'gone' || known.has(id))) {
          lost.push(job.id);
          known.add(job.id);
          continue;
        }
        const waitsFor = new Set(parents.filter(([, parent]) => parent === 'open').map(([id]) => id));
        if (waitsFor.size === 0) {
          free.push(job);
          continue;
        }
        waiting.set(job.id, { job, waitsFor });
        for (const id of waitsFor) {
          const others = dependents.get(id);
          if (others === undefined) dependents.set(id, new Set([job.id]));
          else others.add(job.id);
        }
      }
      return { free, gone: lost };
    },
    completed(id) {
      const free: ClaimedJob[] = [];
      for (const dependent of dependents.get(id) ?? []) {
        const { job, waitsFor } = waiting.get(dependent) as Waiting;
        waitsFor.delete(id);
        if (waitsFor.size > 0) continue;
        waiting.delete(dependent);
        free.push(job);
      }
      dependents.delete(id);
      return free;
    },
    gone,
    drop(isMeant) {
      const meant = [...waiting.values()].filter(({ job }) => isMeant(job)).map(({ job }) => job.id);
      return meant.flatMap((id) => {
        if (!waiting.has(id)) return [];
        forget(id);
        return [id, ...gone(id)];
      });
    },
    clear() {
      const ids = [...waiting.keys()];
      waiting.clear();
      dependents.clear();
      return ids;
    },
  };
}
