import { counted } from '../../quantity/count-text.ts';
import { sizeText } from '../../quantity/size-text.ts';
import type { Amounts } from '../../job/amounts.ts';
import { atMostAll, withAdded, sumOfAmounts } from './amounts.ts';
import type { SharingRun } from './sharing-run.ts';

/** Another run that has some of what a run waits for. */
export interface Holder extends Pick<SharingRun, 'workflowId' | 'pid' | 'holds' | 'isLeft' | 'database'> {
  /** A person stopped it with Ctrl-Z or a signal: it gives nothing back. */
  readonly isSuspended: boolean;
}

/**
 * Why the jobs of a run do not start, if other runs have what it needs: `waits: 2 of 2 CPUs are in use by workflow 3 (pid 1234)`.
 * Undefined if they have none of it.
 */
export function waitingWords(
  need: Amounts,
  inUse: Amounts,
  holders: readonly Holder[],
  total: Amounts,
): string | undefined {
  const asked = atMostAll(need, total);
  const free = withAdded(total, sumOfAmounts([inUse, ...holders.map(({ holds }) => holds)]), -1);
  const parts = Object.keys(total).flatMap((name) => {
    const users = holders.filter(({ holds }) => (holds[name] ?? 0) > 0);
    if ((asked[name] ?? 0) <= (free[name] ?? 0) || users.length === 0) return [];
    const held = users.reduce((sum, { holds }) => sum + (holds[name] ?? 0), 0);
    return [`${amountWords(name, held, total[name] ?? 0)} in use by ${usersWords(users)}`];
  });
  return parts.length === 0 ? undefined : `waits: ${parts.join(', and ')}`;
}

function amountWords(name: string, held: number, all: number): string {
  if (name === 'memory_bytes') return `${sizeText(held)} of ${sizeText(all)} of memory are`;
  const what = name === 'cpus' ? 'CPU' : name === 'gpus' ? 'GPU' : name.replace(/^license /, '');
  const are = held === 1 ? 'is' : 'are';
  return name.startsWith('license ') ? `${held} of ${all} ${what} ${are}` : `${held} of ${counted(all, what)} ${are}`;
}

/** Names the first two, those with a workflow of the same number by their database too. */
function usersWords(users: readonly Holder[]): string {
  const named = users.slice(0, 2).map((user) => {
    const isAmbiguous = users.some((other) => other !== user && other.workflowId === user.workflowId);
    return userWords(user, isAmbiguous);
  });
  const others = users.length - named.length;
  return [...named, ...(others > 0 ? [`${counted(others, 'other run')}`] : [])].join(' and ');
}

function userWords({ workflowId, pid, isLeft, isSuspended, database }: Holder, isAmbiguous: boolean): string {
  const where = isAmbiguous ? ` of ${database}` : '';
  if (isLeft === true) return `jobs that a killed run of workflow ${workflowId}${where} left (its pid was ${pid})`;
  return `workflow ${workflowId}${where} (pid ${pid}${isSuspended ? ', suspended' : ''})`;
}
