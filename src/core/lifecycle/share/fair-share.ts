import type { Amounts } from '../../job/amounts.ts';
import { atMostAll, fitsIn, isNothing, partOf, withAdded, sumOfAmounts } from './amounts.ts';

/*
 * How runs that stand beside each other on one machine share it. Pure functions of what each of them holds and waits for: every
 * run computes the same from the same file.
 *
 * - The sum of what they hold never exceeds what there is. No job is ended for another.
 * - A run that waits may have as many of its jobs as fit into its equal part; those that hold more give back as their jobs end.
 * - A job that is larger than an equal part, and each job where there are more runs than CPUs, is next when its run has had less
 *   than its part for a while (`lag`). Free resources are kept for it then.
 * - Resources are not kept for one job for ever: others that hold them may never end.
 */

/** What a run could start if it had more. */
export interface ShareWait {
  /** What its first waiting job needs. */
  readonly need: Amounts;
  /** How many such jobs wait. */
  readonly jobs: number;
  /** Since when none could start, in milliseconds of the machine's monotonic clock. */
  readonly sinceMs: number;
}

export interface Sharer {
  readonly id: string;
  readonly holds: Amounts;
  readonly waits?: ShareWait | undefined;
  /** Seconds of the whole machine that it had less than its part, while runs waited; negative if it had more. */
  readonly lag: number;
  /** The moment of `lag`. */
  readonly atMs: number;
}

/**
 * How far a run is behind before a job is next that does not fit into its part, in seconds of the part of the machine that it
 * needs. Shorter, and runs with short jobs hand CPUs to each other at each end; longer, and a person sees the wait.
 */
const TURN_SECONDS = 0.1;
/** No run is owed more, and none owes more: a job of an hour does not stop the others for an hour. */
const MOST_LAG_SECONDS = 60;
/**
 * For how long free resources are kept for a job that lacks others, the first time; then they are given away for as long, and kept for
 * twice as long, so that a job gets its turn however long the others take.
 */
const FIRST_KEPT_MS = 300_000;

const shares = ({ holds, waits }: Sharer): boolean => waits !== undefined || !isNothing(holds);

/** The equal part of each run that holds something or waits. */
const partOfEach = (all: readonly Sharer[]): number => 1 / Math.max(1, all.filter(shares).length);

/** The same runs at a later moment. While none waits, none is behind. */
export function sharersAt(all: readonly Sharer[], total: Amounts, nowMs: number): Sharer[] {
  const part = partOfEach(all);
  const isContended = all.some(({ waits }) => waits !== undefined);
  return all.map((each) => {
    const seconds = Math.max(0, nowMs - each.atMs) / 1000;
    const lag = isContended && shares(each) ? each.lag + seconds * (part - partOf(each.holds, total)) : 0;
    // A run that wants nothing saves nothing up.
    const most = each.waits === undefined ? 0 : MOST_LAG_SECONDS;
    return { ...each, lag: Math.min(most, Math.max(-MOST_LAG_SECONDS, lag)), atMs: nowMs };
  });
}

/** What a waiting run is to get before others. */
interface Claim {
  readonly sharer: Sharer;
  /** Of what is free, this is kept for it. */
  readonly keeps: Amounts;
  readonly lacks: Amounts;
  /** It is within the equal part of its run: it takes nothing of the equal parts of others. */
  readonly isWithinPart: boolean;
}

/** What is to go to runs that wait, the one that is furthest behind first. */
function claimsOf(all: readonly Sharer[], total: Amounts): Claim[] {
  const part = partOfEach(all);
  let free = withAdded(total, sumOfAmounts(all.map(({ holds }) => holds)), -1);
  const due = all.flatMap((sharer) => {
    const jobs = jobsDue(sharer, part, total);
    return jobs === 0 ? [] : [{ sharer, jobs }];
  });
  due.sort((one, other) => orderOf(one.sharer, other.sharer));
  return due.map(({ sharer, jobs }) => {
    const { need, sinceMs } = sharer.waits as ShareWait;
    const wanted = withAdded({}, atMostAll(need, total), Math.max(1, jobs));
    const lacks = positive(withAdded(wanted, positive(free), -1), total);
    const isLacking = !isNothing(lacks);
    const keeps = isLacking
      ? isKeptFor(sharer.atMs - sinceMs)
        ? Object.fromEntries(Object.keys(lacks).map((name) => [name, Math.max(0, free[name] ?? 0)]))
        : {}
      : wanted;
    free = withAdded(free, keeps, -1);
    return { sharer, keeps, lacks, isWithinPart: jobs > 0 };
  });
}

/** The same for every run that looks: two that each let the other go first would both wait for ever. */
function orderOf(one: Sharer, other: Sharer): number {
  const sinceMs = (one.waits?.sinceMs ?? 0) - (other.waits?.sinceMs ?? 0);
  return other.lag - one.lag || sinceMs || (one.id < other.id ? -1 : 1);
}

/** How many jobs of a run fit into its equal part; -1 if none do and it is the turn of one; 0 if none is due. */
function jobsDue({ holds, waits, lag }: Sharer, part: number, total: Amounts): number {
  if (waits === undefined) return 0;
  const need = atMostAll(waits.need, total);
  const fitting = Object.entries(total).reduce((least, [name, all]) => {
    const each = need[name] ?? 0;
    return each <= 0 ? least : Math.min(least, Math.floor((part * all - (holds[name] ?? 0)) / each + 1e-9));
  }, waits.jobs);
  if (fitting > 0) return fitting;
  return lag >= TURN_SECONDS * partOf(need, total) ? -1 : 0;
}

/** By how long a job has waited: kept and given away in turn, each time for twice as long. */
function isKeptFor(waitedMs: number): boolean {
  const round = Math.floor(Math.log2(Math.max(0, waitedMs) / (2 * FIRST_KEPT_MS) + 1));
  const beganMs = 2 * FIRST_KEPT_MS * (2 ** round - 1);
  return waitedMs - beganMs < FIRST_KEPT_MS * 2 ** round;
}

const positive = (amounts: Amounts, only?: Amounts): Amounts =>
  Object.fromEntries(
    Object.entries(amounts).filter(([name, amount]) => amount > 0 && (only === undefined || name in only)),
  );

/** Whether a run may take this in addition to what it holds, by what is free and what others are to get before it. */
export function mayTake(all: readonly Sharer[], total: Amounts, id: string, need: Amounts): boolean {
  const asks = all.map((each) =>
    each.id === id ? { ...each, waits: { jobs: 1, sinceMs: each.atMs, ...each.waits, need } } : each,
  );
  const claims = claimsOf(asks, total);
  const own = claims.findIndex(({ sharer }) => sharer.id === id);
  const before = own === -1 ? claims : claims.slice(0, own);
  const taken = sumOfAmounts([...all.map(({ holds }) => holds), ...before.map(({ keeps }) => keeps)]);
  return fitsIn(atMostAll(need, total), withAdded(total, taken, -1), total);
}

/** What a run may hold at most, of what others lack that come before it; of all else, what it holds. */
export function mayKeep(all: readonly Sharer[], total: Amounts, id: string): Amounts {
  const own = all.find((each) => each.id === id) as Sharer;
  const part = partOfEach(all);
  let most = own.holds;
  for (const { sharer, lacks, isWithinPart } of claimsOf(all, total)) {
    if (sharer.id === id || (!isWithinPart && sharer.lag <= own.lag)) continue;
    const left = Object.entries(lacks).map(([name, amount]): [string, number] => {
      const held = most[name] ?? 0;
      const least = isWithinPart ? Math.min(held, part * (total[name] ?? Infinity)) : 0;
      return [name, Math.max(least, held - amount)];
    });
    most = { ...most, ...Object.fromEntries(left) };
  }
  return most;
}

/** When a waiting run is next at the latest, if nothing changes; undefined if it is already, or cannot be. */
export function nextTurnAtMs(all: readonly Sharer[], total: Amounts, id: string): number | undefined {
  const own = all.find((each) => each.id === id);
  if (own?.waits === undefined) return undefined;
  const rate = partOfEach(all) - partOf(own.holds, total);
  const missing = TURN_SECONDS * partOf(atMostAll(own.waits.need, total), total) - own.lag;
  return missing <= 0 || rate <= 0 ? undefined : own.atMs + (1000 * missing) / rate;
}
