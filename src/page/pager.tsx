import { useRef } from 'preact/hooks';
import { grouped } from '../core/quantity/count-text.ts';
import { replaceQuery } from './query.ts';

/**
 * A place in a list by the id of the last row before it, so that rows that are added meanwhile move nothing. It stands in the address
 * under this name; the way back is known as far as this view came.
 */
export function useCursor(name: string, query: URLSearchParams) {
  const before = useRef<(number | undefined)[]>([]);
  const found = Number(query.get(name) ?? 0);
  const at = Number.isSafeInteger(found) && found > 0 ? found : undefined;
  const show = (id: number | undefined) => replaceQuery({ [name]: id === undefined ? '' : String(id) });
  if (at === undefined) before.current = [];
  return {
    at,
    next(id: number) {
      before.current.push(at);
      show(id);
    },
    previous: () => show(before.current.pop()),
  };
}

interface PagerProps {
  readonly cursor: ReturnType<typeof useCursor>;
  readonly items: readonly { readonly id: number }[];
  /** Rows from this place on. */
  readonly total: number;
}

/** Leads through a list that is longer than a page. */
export function Pager({ cursor, items, total }: PagerProps) {
  const last = items.at(-1);
  if (cursor.at === undefined && total <= items.length) return null;
  const [shown, all] = [grouped(items.length), grouped(total)];
  return (
    <div class="buttons pager">
      <button type="button" disabled={cursor.at === undefined} onClick={cursor.previous}>
        Previous
      </button>
      <button
        type="button"
        disabled={last === undefined || items.length >= total}
        onClick={() => last !== undefined && cursor.next(last.id)}
      >
        Next
      </button>
      <span class="note" role="status">
        {cursor.at === undefined ? `1 to ${shown} of ${all}` : `${shown} of the remaining ${all}`}
      </span>
    </div>
  );
}
