/**
 * Calls a function for each item, a number of them at once, and returns the results in the order of the items.
 *
 * `onDone` is called as each is done, so that a person sees progress.
 */
export async function eachAtOnce<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  call: (item: Item) => Promise<Result>,
  onDone: (item: Item, result: Result) => void = () => {},
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      const item = items[index] as Item;
      const result = await call(item);
      results[index] = result;
      onDone(item, result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  return results;
}
