import { type Amounts, entryOfLimit } from '../../job/amounts.ts';
import type { Need } from '../../contract/exchange.ts';

/*
 * Amounts of what runs on one machine share, by name: `cpus`, `memory_bytes`, `gpus`, and `license NAME` for a named limit.
 * What is absent is 0.
 */

const LICENSE = 'license ';

/** What jobs hold of named limits, or the limits themselves; a limit of one family is no concern of other workflows. */
export const licenseAmounts = (licenses: Amounts | null | undefined): Amounts =>
  Object.fromEntries(
    Object.entries(licenses ?? {})
      .filter(([name]) => entryOfLimit(name) === undefined)
      .map(([name, amount]) => [`${LICENSE}${name}`, amount]),
  );

export const licensesIn = (amounts: Amounts): Amounts =>
  Object.fromEntries(Object.entries(amounts).filter(([name]) => limitNameOf(name) !== undefined));

/** The name of a limit among the names of amounts; undefined for another resource. */
export const limitNameOf = (name: string): string | undefined =>
  name.startsWith(LICENSE) ? name.slice(LICENSE.length) : undefined;

/** What a job takes of the machine. */
export const jobAmounts = ({ num_cpus, memory_bytes, num_gpus }: Need): Amounts => ({
  cpus: num_cpus,
  memory_bytes,
  gpus: num_gpus,
});

/** `one` and `times` that of `other`. */
export function withAdded(one: Amounts, other: Amounts, times = 1): Amounts {
  const sum: Record<string, number> = { ...one };
  for (const [name, amount] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + times * amount;
  return sum;
}

export const sumOfAmounts = (all: readonly Amounts[]): Amounts =>
  all.reduce<Amounts>((sum, each) => withAdded(sum, each), {});

/** Whether nothing of `need` exceeds what is free of what there is a `total` of; what has no total has no limit. */
export const fitsIn = (need: Amounts, free: Amounts, total: Amounts): boolean =>
  Object.keys(total).every((name) => (need[name] ?? 0) <= 0 || (need[name] ?? 0) <= (free[name] ?? 0));

/** A job that needs more than there is runs when it has all of it. */
export const atMostAll = (need: Amounts, total: Amounts): Amounts =>
  Object.fromEntries(Object.entries(need).map(([name, amount]) => [name, Math.min(amount, total[name] ?? amount)]));

/** The largest part of anything that these amounts are, from 0 to 1. */
export const partOf = (amounts: Amounts, total: Amounts): number =>
  Object.entries(total).reduce(
    (most, [name, all]) => (all > 0 ? Math.max(most, Math.min(1, (amounts[name] ?? 0) / all)) : most),
    0,
  );

export const isNothing = (amounts: Amounts): boolean => Object.values(amounts).every((amount) => amount <= 0);

/** Whether nothing of `other` exceeds what is in `need`. */
export const isAtLeast = (need: Amounts, other: Amounts): boolean =>
  Object.entries(other).every(([name, amount]) => (need[name] ?? 0) >= amount);
