import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { after, type Timer } from '../client/long-timers.ts';

interface Page<Row> {
  readonly items: readonly Row[];
  readonly has_more: boolean;
}

/** Where a page begins: behind the row with this id, or with so many rows before it. */
interface PageStart {
  readonly after?: number | undefined;
  readonly skip?: number | undefined;
}

interface PagesOptions<Row> {
  /** Names the list: another one begins anew. */
  readonly key: string;
  readonly size: number;
  readonly load: (start: PageStart) => Promise<Page<Row>>;
  readonly idOf: (row: Row) => number;
  /** Whether the server can skip rows. Otherwise the pages before a page are read first. */
  readonly canSkip: boolean;
  readonly everyMs: number;
}

/** Pages that are held: those around what was looked at last. */
const MOST_HELD = 30;

/**
 * Reads a list of any length page by page: the pages in view, again at an interval. A page begins after the last row of the previous page,
 * if that row is known.
 */
export function usePages<Row>({ key, size, load, idOf, canSkip, everyMs }: PagesOptions<Row>) {
  const held = useRef<{ key: string; pages: Map<number, Page<Row>>; ends: Map<number, number> }>(undefined);
  if (held.current?.key !== key) held.current = { key, pages: new Map(), ends: new Map() };
  const view = useRef({ first: 0, last: 0 });
  const [error, setError] = useState<Error>();
  const [, setTurn] = useState(0);
  const wake = useRef<() => void>(() => {});

  useLayoutEffect(() => {
    let isOver = false;
    let isReading = false;
    let timer: Timer | undefined;
    const own = held.current as NonNullable<typeof held.current>;
    /** The page that is missing or, if `isDue`, was read before. */
    const wanted = (isDue: ReadonlySet<number>): number | undefined => {
      const [first, last] = [
        Math.floor(view.current.first / size),
        Math.floor(Math.max(0, view.current.last - 1) / size),
      ];
      for (let page = first; page <= last; page += 1) {
        if (own.pages.has(page) && !isDue.has(page)) continue;
        if (canSkip || page === 0 || own.ends.has(page - 1)) return page;
        // The nearest one that can be read.
        let before = page - 1;
        while (before > 0 && !own.ends.has(before - 1)) before -= 1;
        // The list ends before this page.
        return own.pages.has(before) && !isDue.has(before) ? undefined : before;
      }
      return undefined;
    };
    const read = async (isDue = new Set<number>()) => {
      if (isReading) return;
      isReading = true;
      timer?.cancel();
      for (let page = wanted(isDue); page !== undefined && !isOver; page = wanted(isDue)) {
        isDue.delete(page);
        try {
          const end = own.ends.get(page - 1);
          const start = page === 0 ? {} : end === undefined ? { skip: page * size } : { after: end };
          const found = await load(start);
          own.pages.delete(page);
          own.pages.set(page, found);
          const last = found.items.at(-1);
          if (last !== undefined && found.items.length === size) own.ends.set(page, idOf(last));
          else own.ends.delete(page);
          for (const oldest of [...own.pages.keys()].slice(0, Math.max(0, own.pages.size - MOST_HELD)))
            own.pages.delete(oldest);
          if (isOver) break;
          setError(undefined);
        } catch (thrown) {
          if (!isOver) setError(thrown as Error);
          break;
        }
        setTurn((turn) => turn + 1);
      }
      isReading = false;
      if (!isOver) timer = after(everyMs, () => void read(document.hidden ? new Set() : new Set(own.pages.keys())));
    };
    const onVisible = () => {
      if (!document.hidden) void read(new Set(own.pages.keys()));
    };
    wake.current = () => void read();
    void read();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      isOver = true;
      timer?.cancel();
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [key]);

  const { pages } = held.current;
  const last = [...pages.keys()].reduce((most, page) => Math.max(most, page), 0);
  const end = pages.get(last);
  return {
    error,
    isLoaded: pages.size > 0,
    /** Rows as far as they are known to be there. */
    known: last * size + (end === undefined ? 0 : end.items.length + (end.has_more ? 1 : 0)),
    rowAt: (index: number): Row | undefined => pages.get(Math.floor(index / size))?.items[index % size],
    show(first: number, behind: number) {
      view.current = { first, last: behind };
      wake.current();
    },
  };
}
