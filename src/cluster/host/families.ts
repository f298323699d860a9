import { environmentOf } from './environment-of.ts';
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

/** Whose a process is, undefined when it is nobody's, and at which look it was there. */
interface Known {
  readonly startTicks: number;
  readonly owner: number | undefined;
  seen: number;
}

/**
 * Looks after which strangers are looked at again: an id of theirs may have been given to a process of a job. Ids come round
 * after tens of thousands of processes, so this is rare; to look each time would make a look cost what the node has.
 */
const LOOKS_BETWEEN = 10;

export function createFamilies({ sinceTicks, ownerBy, root = '/proc' }: FamiliesOptions): Families {
  const table = openProcessTable(root);
  const known = new Map<number, Known>();
  const strangers = new Set<number>();
  let looks = 0;

  const adopted =
    (roots: ReadonlySet<number>) =>
    ({ pid, startTicks }: ProcessSample): number | undefined => {
      if (startTicks < sinceTicks) return undefined;
      const before = known.get(pid);
      const owner = before?.startTicks === startTicks ? before.owner : ownerBy(environmentOf(pid, root));
      remember(pid, startTicks, owner);
      return owner !== undefined && roots.has(owner) ? owner : undefined;
    };

  const remember = (pid: number, startTicks: number, owner: number | undefined) => {
    const before = known.get(pid);
    if (before?.startTicks === startTicks && before.owner === owner) before.seen = looks;
    else known.set(pid, { startTicks, owner, seen: looks });
  };

  /** Strangers are looked at anew, and who has not been seen since the last time is forgotten. */
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
      const uses = useByRoot(processes, roots, adopted(roots));
      let owned = 0;
      for (const [owner, { members }] of uses) {
        for (const { pid, startTicks } of members) remember(pid, startTicks, owner);
        owned += members.length;
      }
      if (owned === processes.length) return uses;
      for (const { pid } of processes) {
        const { seen, owner } = known.get(pid) ?? {};
        if (seen !== looks || owner === undefined || !roots.has(owner)) strangers.add(pid);
      }
      return uses;
    },
    close: () => table.close(),
  };
}
