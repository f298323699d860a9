export interface Part {
  readonly title: string;
  /** Names of pages below `docs`, without their ending. */
  readonly pages: string[];
}

/**
 * The parts of the list of all pages, in its order: a heading begins one, or a line that ends with a colon does, below a heading
 * that has several.
 */
export function contentsOf(list: string): Part[] {
  const parts: Part[] = [];
  const seen = new Set<string>();
  for (const line of list.split('\n')) {
    const title = /^## (.+)$/.exec(line)?.[1] ?? /^([A-Z][^:]*):$/.exec(line)?.[1];
    if (title !== undefined) parts.push({ title, pages: [] });
    for (const [, target] of line.matchAll(/\]\((?!\.\.)([^)#]+)\.md(?:#[^)]*)?\)/g)) {
      const part = parts.at(-1);
      if (target === undefined || part === undefined || seen.has(target)) continue;
      seen.add(target);
      part.pages.push(target);
    }
  }
  return parts.filter(({ pages }) => pages.length > 0);
}
