import type { ProcessSample } from './proc.ts';

/** The use of all processes of one job at one moment. */
export interface TreeUse {
  readonly members: readonly ProcessSample[];
  /** Their time so far, including children that ended and were waited for. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/**
 * Adds up processes by the job that they belong to.
 *
 * A job's processes are those in the session of its first process, and their descendants, so a process with its own
 * session is still counted. For a process that also lost its parents, `adopted` may know the job; it is called only for
 * those.
 */
export function useByRoot(
  processes: readonly ProcessSample[],
  roots: ReadonlySet<number>,
  adopted: (process: ProcessSample) => number | undefined = () => undefined,
): Map<number, TreeUse> {
  const byPid = new Map(processes.map((each) => [each.pid, each]));
  const owners = new Map<number, number | undefined>();

  const ownerOf = (process: ProcessSample): number | undefined => {
    const path: ProcessSample[] = [];
    let owner: number | undefined;
    for (let at: ProcessSample | undefined = process; at !== undefined; at = byPid.get(at.parentPid)) {
      if (owners.has(at.pid)) {
        owner = owners.get(at.pid);
        break;
      }
      path.push(at);
      // Marked during the search: an id reused while the table was read could form a circle of parents.
      owners.set(at.pid, undefined);
      if (roots.has(at.sessionId) || roots.has(at.pid)) {
        owner = roots.has(at.sessionId) ? at.sessionId : at.pid;
        break;
      }
      if (at.parentPid === at.pid || at.parentPid === 0) break;
    }
    // From the oldest process on: its descendants have the same owner.
    for (const each of path.reverse()) {
      owner ??= adopted(each);
      owners.set(each.pid, owner);
    }
    return owner;
  };

  const uses = new Map<number, { members: ProcessSample[]; cpuSeconds: number; residentBytes: number }>();
  for (const process of processes) {
    const owner = ownerOf(process);
    if (owner === undefined) continue;
    let use = uses.get(owner);
    if (use === undefined) {
      use = { members: [], cpuSeconds: 0, residentBytes: 0 };
      uses.set(owner, use);
    }
    use.members.push(process);
    use.cpuSeconds += process.cpuSeconds + process.waitedCpuSeconds;
    use.residentBytes += process.residentBytes;
  }
  return uses;
}
