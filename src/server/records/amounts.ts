import type { Amounts } from '../../core/job/amounts.ts';

/** Amounts as JSON text in the order of their names, so that equal ones are equal texts; null for none. */
export function storedAmounts(amounts: Amounts | null | undefined): string | null {
  const entries = Object.entries(amounts ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries));
}
