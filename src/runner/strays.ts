import { readFileSync } from 'node:fs';
import { environmentOf } from '../cluster/host/environment-of.ts';
import { processesWith } from '../cluster/host/marked.ts';
import type { Log } from './log.ts';

/**
 * Processes that outlive their job, or their runner.
 *
 * Every job carries the mark of its runner in its environment, and what it starts inherits it, in whatever session and
 * under whatever parent. A process that is to stay takes the mark off: `env -u TORC_RUNNER_MARK program`.
 */
export const MARK_VARIABLE = 'TORC_RUNNER_MARK';

export interface Stray {
  readonly pid: number;
  /** How it was called, as far as a line goes. */
  readonly command: string;
}

/** Kills every process that carries the mark, until there is none: one that forks while we look is found the next time. */
export const killMarked = (mark: string): Stray[] => kill(() => marked(mark));

function kill(find: () => readonly Stray[]): Stray[] {
  const killed = new Map<number, Stray>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const strays = find();
    if (strays.length === 0) break;
    for (const stray of strays) {
      if (!killed.has(stray.pid)) killed.set(stray.pid, stray);
      signal(stray.pid, 'SIGKILL');
    }
  }
  return [...killed.values()];
}

const ROUNDS = 20;

/** A daemon that was asked to end has so long to do it: nobody waits for its work, but it may have files to close. */
const LEAD_MS = 2_000;
const LOOK_MS = 50;

/** Ends what jobs of this runner left behind, now that the runner ends: first asks, then kills, and says what it was. */
export async function endStrays(mark: string, log: Log): Promise<void> {
  const strays = marked(mark).filter(isOfThisAllocation);
  if (strays.length === 0) return;
  for (const { pid } of strays) signal(pid, 'SIGTERM');
  const until = performance.now() + LEAD_MS;
  const left = () => marked(mark).filter(isOfThisAllocation);
  while (left().length > 0 && performance.now() < until)
    await new Promise((resolve) => void setTimeout(resolve, LOOK_MS));
  const killed = kill(left);
  log.write('warn', 'Jobs left processes behind, which end with the runner', {
    processes_ended: strays.length,
    killed: killed.length,
    which: strayWords(strays),
    to_keep_one: `start it with env -u ${MARK_VARIABLE}`,
  });
}

/** What a job has submitted to Slurm took the whole environment along, and may have begun on this very host: it is no stray. */
const isOfThisAllocation = ({ pid }: Stray): boolean =>
  variableOf(pid, 'SLURM_JOB_ID') === (process.env['SLURM_JOB_ID'] ?? '');

const variableOf = (pid: number, name: string): string =>
  environmentOf(pid)
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? '';

/** The first few, as `pid 42: sleep 600`. */
export function strayWords(strays: readonly Stray[]): string {
  const shown = strays.slice(0, 5).map(({ pid, command }) => `pid ${pid}: ${command}`);
  return [...shown, ...(strays.length > 5 ? [`and ${strays.length - 5} more`] : [])].join(', ');
}

function marked(mark: string): Stray[] {
  try {
    return processesWith(MARK_VARIABLE, mark).map((pid) => ({ pid, command: commandOf(pid) }));
  } catch {
    // No process table, or no file left to open: then nothing is known of strays.
    return [];
  }
}

function commandOf(pid: number): string {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim();
    return words.length > 80 ? `${words.slice(0, 79)}…` : words;
  } catch {
    return '?';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Ended meanwhile.
  }
}
