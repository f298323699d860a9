import { counted } from '../../quantity/count-text.ts';
import { sizeText } from '../../quantity/size-text.ts';
import type { Amounts } from '../../job/amounts.ts';
import { atMostAll, limitNameOf, withAdded, sumOfAmounts } from './amounts.ts';
import type { SharingRun } from './sharing-run.ts';

/** Another run that has some of what a run waits for. */
export interface Holder extends Pick<SharingRun, 'workflowId' | 'pid' | 'holds' | 'isLeft' | 'database'> {
  /** A person stopped it with Ctrl-Z or a signal: it gives nothing back. */
  readonly isSuspended: boolean;
}

export interface RunThatWaits {
  readonly need: Amounts;
  /** What its own jobs use. */
  readonly inUse: Amounts;
  readonly holders: readonly Holder[];
  readonly total: Amounts;
  readonly database: string;
}

/**
 * Why the jobs of a run do not start, if other runs have what it needs: `waits: 2 of 2 CPUs are in use by workflow 3 (pid 1234)`.
 * Undefined if they have none of it.
 */
export function waitingWords({ need, inUse, holders, total, database }: RunThatWaits): string | undefined {
  const asked = atMostAll(need, total);
  const free = withAdded(total, sumOfAmounts([inUse, ...holders.map(({ holds }) => holds)]), -1);
  const parts = Object.keys(total).flatMap((name) => {
    const users = holders.filter(({ holds }) => (holds[name] ?? 0) > 0);
    if ((asked[name] ?? 0) <= (free[name] ?? 0) || users.length === 0) return [];
    const held = users.reduce((sum, { holds }) => sum + (holds[name] ?? 0), 0);
    return [`${amountWords(name, held, total[name] ?? 0)} in use by ${usersWords(users, database)}`];
  });
  return parts.length === 0 ? undefined : `waits: ${parts.join(', and ')}`;
}

function amountWords(name: string, held: number, all: number): string {
  if (name === 'memory_bytes') return `${sizeText(held)} of ${sizeText(all)} of memory are`;
  const what = name === 'cpus' ? 'CPU' : name === 'gpus' ? 'GPU' : (limitNameOf(name) ?? name);
  const are = held === 1 ? 'is' : 'are';
  return limitNameOf(name) !== undefined
    ? `${held} of ${all} ${what} ${are}`
    : `${held} of ${counted(all, what)} ${are}`;
}

/** Names the first two. */
function usersWords(users: readonly Holder[], database: string): string {
  const others = users.length - 2;
  return [
    ...users.slice(0, 2).map((user) => userWords(user, database)),
    ...(others > 0 ? [counted(others, 'other run')] : []),
  ].join(' and ');
}

/** Those of another database by it, too: most workflows of standalone runs have the number 1. */
function userWords({ workflowId, pid, isLeft, isSuspended, database }: Holder, own: string): string {
  const workflow = `workflow ${workflowId}${database === own ? '' : ` of ${database}`}`;
  if (isLeft === true) return `jobs that a killed run of ${workflow} left (its pid was ${pid})`;
  return `${workflow} (pid ${pid}${isSuspended ? ', suspended' : ''})`;
}
