import { existsSync, statSync } from 'node:fs';
import { textOf } from '../../cluster/host/group-files.ts';
import { killTogether, signalProcess } from '../../cluster/host/kill-together.ts';
import { processesWhere } from '../../cluster/host/marked.ts';
import { MARK_VARIABLE, type RunnerFacts } from '../../core/attempt/belongs-to.ts';
import type { Log } from '../facts/log.ts';
import { membershipOf } from '../facts/membership.ts';

/**
 * Leftover processes: they outlive their job, or their runner (`marks.ts` says how they are recognised).
 *
 * A process is ended only if all of this is true: it belongs to the jobs of this runner, it belongs to this user, and it is
 * not the searching process.
 */

export interface Stray {
  readonly pid: number;
  /** Its command line, shortened. */
  readonly command: string;
}

/** The processes that ended, and those that do not end after SIGKILL. */
export interface Killed {
  readonly killed: readonly Stray[];
  readonly left: readonly Stray[];
}

/** A killed process may need this long: to release its memory, or until a disk answers. */
const KILL_MS = 5_000;
const LOOK_MS = 50;

/** A signaled daemon has this long to end: its work is not needed, but it may have to close files. */
const LEAD_MS = 2_000;

const pause = () => new Promise<void>((resolve) => void setTimeout(resolve, LOOK_MS));

/**
 * Kills all leftover processes of a runner, until two searches in a row find none: a process that forks during the
 * search is found the next time.
 *
 * Throws if the process table cannot be read. Then there may be processes, and the caller must not assume that there
 * are none.
 */
export async function killLeft(left: RunnerFacts): Promise<Killed> {
  const killed = new Map<number, Stray>();
  const until = performance.now() + KILL_MS;
  for (let empty = 0; empty < 2;) {
    let strays: readonly Stray[] = [];
    const found = killTogether(() => {
      strays = straysOf(left);
      for (const stray of strays) if (!killed.has(stray.pid)) killed.set(stray.pid, stray);
      return strays.map(({ pid }) => pid);
    });
    empty = found.size === 0 ? empty + 1 : 0;
    if (strays.length > 0 && performance.now() >= until) return { killed: [...killed.values()], left: strays };
    if (empty < 2) await pause();
  }
  return { killed: [...killed.values()], left: [] };
}

/**
 * Ends the leftover processes of this runner's jobs when the runner ends: first by signal, then by SIGKILL, and reports
 * them.
 */
export async function endLeftoverProcesses(left: RunnerFacts, log: Log): Promise<void> {
  try {
    await endAndReport(left, log);
  } catch (error) {
    log.write('warn', 'Could not search for leftover processes of jobs', {
      reason: (error as Error).message,
    });
  }
}

async function endAndReport(left: RunnerFacts, log: Log): Promise<void> {
  const strays = await searchTwice(() => straysOf(left), pause);
  if (strays.length === 0) return;
  for (const { pid } of strays) signalProcess(pid, 'SIGTERM');
  const until = performance.now() + LEAD_MS;
  while (straysOf(left).length > 0 && performance.now() < until) await pause();
  const { killed, left: unkillable } = await killLeft(left);
  log.write('warn', 'Jobs left processes behind, which end with the runner', {
    // A process shows no environment while it starts its program: then only a later look finds it.
    processes_ended: new Set([...strays, ...killed].map(({ pid }) => pid)).size,
    killed: killed.length,
    which: processWords(strays),
    to_keep_one: `start it with env -u ${MARK_VARIABLE}`,
    ...(unkillable.length === 0 ? {} : { still_there: processWords(unkillable) }),
  });
}

/** Searches again if the first search found none: a process shows no environment while it starts its program. */
export async function searchTwice<Found>(
  search: () => readonly Found[],
  wait: () => Promise<void>,
): Promise<readonly Found[]> {
  const found = search();
  if (found.length > 0) return found;
  await wait();
  return search();
}

/** The first few, as `pid 42: sleep 600`. */
export function processWords(strays: readonly Stray[]): string {
  const shown = strays.slice(0, 5).map(({ pid, command }) => `pid ${pid}: ${command}`);
  return [...shown, ...(strays.length > 5 ? [`and ${strays.length - 5} more`] : [])].join(', ');
}

function straysOf(left: RunnerFacts): Stray[] {
  // A system without /proc: its runners register no mark, so no caller relies on the result.
  if (!existsSync('/proc/self/environ')) return [];
  return processesWhere(membershipOf(left))
    .filter((pid) => pid !== process.pid && isOurUsers(pid) && isAlive(pid))
    .map((pid) => ({ pid, command: commandOf(pid) }));
}

/** As root we can read processes of all users; a process that changed its user is not ours to end. */
function isOurUsers(pid: number): boolean {
  try {
    return statSync(`/proc/${pid}`).uid === process.geteuid?.();
  } catch {
    return false;
  }
}

/** A zombie keeps its entry, and needs no further signal. */
function isAlive(pid: number): boolean {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat !== undefined && !/\) [ZX] [^)]*$/.test(stat);
}

function commandOf(pid: number): string {
  const words = textOf(`/proc/${pid}/cmdline`)
    ?.replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (words === undefined) return '?';
  return words.length > 80 ? `${words.slice(0, 79)}…` : words;
}
