import type { ProcessSample } from './proc.ts';

/** What the processes of one job use together at one moment. */
export interface TreeUse {
  readonly pids: readonly number[];
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/**
 * Adds processes up by the job that they belong to.
 *
 * A job's processes are those in the session of its first one, and the descendants of those, so that one which made a
 * session of its own is still counted. A process that did so and lost its parents is nobody's.
 */
export function useByRoot(processes: readonly ProcessSample[], roots: ReadonlySet<number>): Map<number, TreeUse> {
  const byPid = new Map(processes.map((each) => [each.pid, each]));
  const owners = new Map<number, number | undefined>();

  const ownerOf = (process: ProcessSample): number | undefined => {
    const path: number[] = [];
    let owner: number | undefined;
    for (let at: ProcessSample | undefined = process; at !== undefined; at = byPid.get(at.parentPid)) {
      if (owners.has(at.pid)) {
        owner = owners.get(at.pid);
        break;
      }
      path.push(at.pid);
      // Marked while we look: an id that was given again as the table was read could make a circle of parents.
      owners.set(at.pid, undefined);
      if (roots.has(at.sessionId) || roots.has(at.pid)) {
        owner = roots.has(at.sessionId) ? at.sessionId : at.pid;
        break;
      }
      if (at.parentPid === at.pid || at.parentPid === 0) break;
    }
    for (const pid of path) owners.set(pid, owner);
    return owner;
  };

  const uses = new Map<number, { pids: number[]; cpuSeconds: number; residentBytes: number }>();
  for (const process of processes) {
    const owner = ownerOf(process);
    if (owner === undefined) continue;
    let use = uses.get(owner);
    if (use === undefined) {
      use = { pids: [], cpuSeconds: 0, residentBytes: 0 };
      uses.set(owner, use);
    }
    use.pids.push(process.pid);
    use.cpuSeconds += process.cpuSeconds;
    use.residentBytes += process.residentBytes;
  }
  return uses;
}
