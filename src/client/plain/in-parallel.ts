/**
 * Works on items, a few at once, and waits for all that were begun, also when one of them failed: nothing of it must still be
 * under way when its caller begins again.
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
