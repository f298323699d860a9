import { readFileSync } from 'node:fs';
import { openProcessTable, type ProcessSample } from './proc.ts';
import { type TreeUse, useByRoot } from './process-tree.ts';

export interface FamiliesOptions {
  /** Processes that began before this tick of the kernel's clock belong to no job. */
  readonly sinceTicks: number;
  /** The first process of the job to which an environment (`NAME=value` each) belongs. */
  readonly ownerBy: (environment: readonly string[]) => number | undefined;
  /** /proc, or a folder that looks like it. */
  readonly root?: string;
}

/**
 * Finds the processes of jobs, also those that left: that made a session of their own and whose parents have ended.
 *
 * Those are known from an earlier look, or by the environment that they inherited. An environment is read once, and who
 * turned out to belong to no job is not looked at again for a while: a node has thousands of processes of its own.
 */
export interface Families {
  /** What the processes of each job use now; `roots` are the jobs' first processes. */
  look(roots: ReadonlySet<number>): Map<number, TreeUse>;
  close(): void;
}

/** Whose a process is; undefined when it is nobody's. */
interface Known {
  readonly startTicks: number;
  readonly owner: number | undefined;
}

/**
 * Looks after which strangers are looked at again: an id of theirs may have been given to a process of a job. Ids come round
 * after tens of thousands of processes, so this is rare; to look each time would make a look cost what the node has.
 */
const LOOKS_BETWEEN = 10;

export function createFamilies({ sinceTicks, ownerBy, root = '/proc' }: FamiliesOptions): Families {
  const table = openProcessTable(root);
  let known = new Map<number, Known>();
  const strangers = new Set<number>();
  let looks = 0;

  const adopted =
    (roots: ReadonlySet<number>) =>
    (process: ProcessSample): number | undefined => {
      const { pid, startTicks } = process;
      if (startTicks < sinceTicks) return undefined;
      let found = known.get(pid);
      if (found?.startTicks !== startTicks) {
        found = { startTicks, owner: ownerBy(environmentOf(`${root}/${pid}/environ`)) };
        known.set(pid, found);
      }
      return found.owner !== undefined && roots.has(found.owner) ? found.owner : undefined;
    };

  return {
    look(roots) {
      if (looks % LOOKS_BETWEEN === 0) strangers.clear();
      looks += 1;
      for (const pid of roots) strangers.delete(pid);
      const processes = table.read(strangers);
      const uses = useByRoot(processes, roots, adopted(roots));
      const next = new Map<number, Known>();
      for (const [owner, { members }] of uses) {
        for (const { pid, startTicks } of members) next.set(pid, { startTicks, owner });
      }
      for (const { pid, startTicks } of processes) {
        if (next.has(pid)) continue;
        const before = known.get(pid);
        if (before?.startTicks === startTicks) next.set(pid, before);
        else known.delete(pid);
        strangers.add(pid);
      }
      // Of strangers that were passed over nothing new is known.
      for (const pid of strangers) {
        const before = known.get(pid);
        if (before !== undefined && !next.has(pid)) next.set(pid, before);
      }
      known = next;
      return uses;
    },
    close: () => table.close(),
  };
}

/** Empty where the process has ended meanwhile or is somebody else's. */
function environmentOf(path: string): string[] {
  try {
    return readFileSync(path, 'latin1').split('\0');
  } catch {
    return [];
  }
}
