import { type V2Request, countIn } from './request.ts';

export interface AskedPage {
  readonly page: number;
  readonly size: number;
}

export const pageAsked = (asked: Pick<V2Request, 'parameters'>): AskedPage => ({
  page: countIn(asked, 'page', { usual: 1, most: 1_000_000 }),
  size: countIn(asked, 'page_size', { usual: 50, most: 1000 }),
});

/** A page of items that are all known. */
export function askedPageOf<Item>(asked: Pick<V2Request, 'parameters'>, name: string, items: readonly Item[]) {
  const { page, size } = pageAsked(asked);
  return numbered(name, items.slice((page - 1) * size, page * size), { page, size, total: items.length });
}

export const numbered = (
  name: string,
  items: readonly unknown[],
  { page, size, total }: AskedPage & { readonly total: number },
) => ({
  [name]: items,
  total,
  page,
  size,
  pages: Math.ceil(total / size),
});
