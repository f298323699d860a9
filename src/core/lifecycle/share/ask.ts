import type { Amounts } from '../../job/amounts.ts';
import { withAdded, sumOfAmounts } from './amounts.ts';
import { mayKeep, mayTake, sharersAt } from './fair-share.ts';
import type { SharingRun } from './sharing-run.ts';

/** What a run knows of itself when it asks for more, or gives back. */
export interface OwnUse {
  /** What its running jobs hold, with their devices. */
  readonly inUse: Amounts;
  readonly usedDevices: readonly string[];
  /** What there is to share, for this run: of the machine, or as much as a person said that there is. */
  readonly total: Amounts;
  /** What this run can use at most. */
  readonly offer: Amounts;
  /** The devices that it may give to jobs. */
  readonly devices: readonly string[];
  readonly nowMs: number;
}

/** The rows afterwards, the own one among them. */
export interface AskReply {
  readonly runs: readonly SharingRun[];
  readonly isGranted: boolean;
}

/** A run asks for `need` beyond what its jobs use. While no other waits, it gets all that is free: then it need not ask again. */
export function askFor(rows: readonly SharingRun[], own: SharingRun, need: Amounts, use: OwnUse): AskReply {
  const { inUse, total, offer } = use;
  const { others, self } = sharedAt(rows, own, use);
  const used = { ...self, holds: inUse };
  if (!mayTake([...others, used], total, own.id, need)) return { runs: written(rows, others, self), isGranted: false };
  const wanted = withAdded(inUse, need);
  const free = withAdded(total, sumOfAmounts(others.map(({ holds }) => holds)), -1);
  const holds = isAnyWaiting(others) ? wanted : mostOf(wanted, leastOf(offer, free));
  return { runs: written(rows, others, holding({ ...self, waits: undefined }, holds, others, use)), isGranted: true };
}

/** A run waits for this, with `jobs` like it; undefined: for nothing any more. */
export function waitFor(
  rows: readonly SharingRun[],
  own: SharingRun,
  wait: { readonly need: Amounts; readonly jobs: number } | undefined,
  use: OwnUse,
): SharingRun[] {
  const { others, self } = sharedAt(rows, own, use);
  return written(rows, others, {
    ...self,
    waits: wait && { ...wait, sinceMs: self.waits?.sinceMs ?? use.nowMs },
  });
}

/** What a run does not use and others are to get goes back; with `isAll`, all that it does not use, if another waits. */
export function giveBack(rows: readonly SharingRun[], own: SharingRun, isAll: boolean, use: OwnUse): SharingRun[] {
  const { others, self } = sharedAt(rows, own, use);
  if (!isAnyWaiting(others)) return written(rows, others, self);
  const most = isAll ? {} : mayKeep([...others, self], use.total, own.id);
  return written(rows, others, holding(self, mostOf(use.inUse, leastOf(self.holds, most)), others, use));
}

/** What jobs use counts, also of a limit that came later than they did. */
export function holdInUse(rows: readonly SharingRun[], own: SharingRun, use: OwnUse): SharingRun[] {
  const { others, self } = sharedAt(rows, own, use);
  return written(rows, others, { ...self, holds: mostOf(self.holds, use.inUse) });
}

export const isAnyWaiting = (runs: readonly SharingRun[]): boolean => runs.some(({ waits }) => waits !== undefined);

/**
 * The runs that share with this one, and itself, at this moment. It sees no devices of others that are not its own: people start runs
 * beside each other with other devices each.
 */
export function sharedAt(
  rows: readonly SharingRun[],
  own: SharingRun,
  { total, devices, nowMs }: Pick<OwnUse, 'total' | 'devices' | 'nowMs'>,
): { readonly others: SharingRun[]; readonly self: SharingRun } {
  const others = rows.filter(({ of, id }) => of === own.of && id !== own.id);
  const seen = others.map((each) => ({ ...each, holds: withDevicesIn(each, devices) }));
  const self = rows.find(({ id }) => id === own.id) ?? own;
  const all = sharersAt([...seen, self], total, nowMs) as SharingRun[];
  return { others: all.slice(0, -1), self: all.at(-1) as SharingRun };
}

const withDevicesIn = ({ holds, devices: held }: SharingRun, devices: readonly string[]): Amounts =>
  held.length === 0 ? holds : { ...holds, gpus: held.filter((name) => devices.includes(name)).length };

/** Of the others only how far they are behind has changed. */
function written(rows: readonly SharingRun[], others: readonly SharingRun[], self: SharingRun): SharingRun[] {
  const byId = new Map(others.map((each) => [each.id, each]));
  return [
    ...rows
      .filter(({ id }) => id !== self.id)
      .map((row) => {
        const { lag, atMs } = byId.get(row.id) ?? row;
        return { ...row, lag, atMs };
      }),
    self,
  ];
}

/** With the devices of its jobs, and as many more as it holds. */
function holding(
  run: SharingRun,
  holds: Amounts,
  others: readonly SharingRun[],
  { usedDevices, devices }: OwnUse,
): SharingRun {
  const taken = new Set(others.flatMap((each) => each.devices));
  const idle = devices.filter((name) => !usedDevices.includes(name) && !taken.has(name));
  const inHand = [
    ...usedDevices,
    ...idle.filter((name) => run.devices.includes(name)),
    ...idle.filter((name) => !run.devices.includes(name)),
  ];
  return { ...run, holds, devices: inHand.slice(0, Math.max(usedDevices.length, holds['gpus'] ?? 0)) };
}

const names = (one: Amounts, other: Amounts): string[] => [...new Set([...Object.keys(one), ...Object.keys(other)])];
const mostOf = (one: Amounts, other: Amounts): Amounts =>
  Object.fromEntries(names(one, other).map((name) => [name, Math.max(one[name] ?? 0, other[name] ?? 0)]));
const leastOf = (one: Amounts, other: Amounts): Amounts =>
  Object.fromEntries(names(one, other).map((name) => [name, Math.min(one[name] ?? 0, other[name] ?? 0)]));
