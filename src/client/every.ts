/** Rows in a page: the server allows ten times as many, which would be in memory at once. */
const CHUNK = 10_000;

interface Page<Item> {
  readonly items: Item[];
  readonly has_more: boolean;
}

/** All items of a list, fetched page by page, from `offset` on and at most `limit` of them. */
export async function* every<Item>(
  fetch: (paging: { offset: number; limit: number }) => Promise<Page<Item>>,
  { offset = 0, limit = Infinity }: { offset?: number | undefined; limit?: number | undefined } = {},
): AsyncGenerator<Item> {
  let at = offset;
  let left = limit;
  while (left > 0) {
    const { items, has_more: hasMore } = await fetch({ offset: at, limit: Math.min(CHUNK, left) });
    yield* items;
    if (!hasMore || items.length === 0) return;
    at += items.length;
    left -= items.length;
  }
}

/** The same as a list. */
export async function all<Item>(
  fetch: Parameters<typeof every<Item>>[0],
  range?: Parameters<typeof every<Item>>[1],
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of every(fetch, range)) items.push(item);
  return items;
}
