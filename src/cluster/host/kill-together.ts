/** A process that forks during a search is found by the next one. */
const ROUNDS = 20;

/**
 * Kills processes of which some wait for others. All are stopped before the first is killed: a script whose `sleep` alone
 * was killed would go on with its next line, and could report work as done.
 *
 * Gives the ids of all that were signaled.
 */
export function killTogether(
  find: () => readonly number[],
  send: (pid: number, signal: NodeJS.Signals) => void = signalProcess,
): ReadonlySet<number> {
  const stopped = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const found = find().filter((pid) => !stopped.has(pid));
    if (found.length === 0) break;
    for (const pid of found) {
      stopped.add(pid);
      send(pid, 'SIGSTOP');
    }
  }
  for (const pid of stopped) send(pid, 'SIGKILL');
  return stopped;
}

/** A negative number signals a process group. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
  }
}
