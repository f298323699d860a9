/**
 * Processes items concurrently, a few at a time, and waits for all that were started even if one fails: when the caller
 * starts again, no earlier request may be in flight.
 */
export async function inParallel<Item, Made>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  for (let at = 0; at < items.length; at += atOnce) {
    const settled = await Promise.allSettled(items.slice(at, at + atOnce).map(work));
    for (const each of settled) {
      if (each.status === 'rejected') throw each.reason;
      made.push(each.value);
    }
  }
  return made;
}
