import { environmentOf } from './environment-of.ts';
import { openProcessTable, type ProcessSample } from './proc.ts';
import { type TreeUse, useByRoot } from './process-tree.ts';

export interface FamiliesOptions {
  /** Processes that began before this tick of the kernel's clock belong to no job. */
  readonly sinceTicks: number;
  /** The first process of the job to which a process with this environment (`NAME=value` entries) belongs. */
  readonly ownerBy: (environment: readonly string[], pid: number) => number | undefined;
  /** /proc, or a folder with the same layout. */
  readonly root?: string;
}

/**
 * Finds the processes of jobs, including those that created their own session and whose parents have ended.
 *
 * Such processes are known from an earlier sample, or from the environment that they inherited. Each environment is
 * read once, and processes that belong to no job are not checked again for a while: a node has thousands of other
 * processes.
 */
export interface Families {
  /** The present use of the processes of each job; `roots` are the first processes of the jobs. */
  look(roots: ReadonlySet<number>): Map<number, TreeUse>;
  close(): void;
}

/** The owner of a process, undefined if it has none, and the sample in which it was last seen. */
interface Known {
  readonly startTicks: number;
  readonly owner: number | undefined;
  seen: number;
}

/**
 * Samples after which foreign processes are checked again: a process of a job may have got the id of one of them. Ids
 * are reused only after tens of thousands of processes, so this is rare. Checking every time would make a sample as
 * expensive as the node has processes.
 */
const LOOKS_BETWEEN = 10;

export function createFamilies({ sinceTicks, ownerBy, root = '/proc' }: FamiliesOptions): Families {
  const table = openProcessTable(root);
  const known = new Map<number, Known>();
  const strangers = new Set<number>();
  let looks = 0;

  const adopted = ({ pid, startTicks }: ProcessSample): number | undefined => {
    if (startTicks < sinceTicks) return undefined;
    const before = known.get(pid);
    const owner = before?.startTicks === startTicks ? before.owner : ownerBy(environmentOf(pid, root), pid);
    remember(pid, startTicks, owner);
    return owner;
  };

  const remember = (pid: number, startTicks: number, owner: number | undefined) => {
    const before = known.get(pid);
    if (before?.startTicks === startTicks && before.owner === owner) before.seen = looks;
    else known.set(pid, { startTicks, owner, seen: looks });
  };

  /** Checks foreign processes again, and forgets those that were not seen since the last time. */
  const beginAnew = () => {
    strangers.clear();
    for (const [pid, { seen }] of known) if (seen < looks - LOOKS_BETWEEN) known.delete(pid);
  };

  return {
    look(roots) {
      if (looks % LOOKS_BETWEEN === 0) beginAnew();
      looks += 1;
      for (const pid of roots) strangers.delete(pid);
      const processes = table.read(strangers);
      // Those of jobs that are not looked at now are found too, so that the next look still knows them.
      const uses = useByRoot(processes, roots, adopted);
      const owned = new Set<number>();
      for (const [owner, { members }] of uses) {
        for (const { pid, startTicks } of members) {
          remember(pid, startTicks, owner);
          owned.add(pid);
        }
        if (!roots.has(owner)) uses.delete(owner);
      }
      for (const { pid } of processes) if (!owned.has(pid)) strangers.add(pid);
      return uses;
    },
    close: () => table.close(),
  };
}
