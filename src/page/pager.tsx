import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { grouped } from '../core/quantity/count-text.ts';
import type { Live } from './hooks.ts';
import { Shown } from './parts.tsx';
import { replaceQuery } from './query.ts';
import { PageTable, type TableColumn } from './table.tsx';

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

type Cursor = ReturnType<typeof useCursor>;

/** The rows of a list from the place of a cursor on, as a table, and what leads to the others. */
export function PagedTable<Row extends { readonly id: number }>({
  live,
  what,
  cursor,
  columns,
  children,
}: {
  readonly live: Live<{ readonly items: readonly Row[]; readonly total_count: number }>;
  /** `runners` */
  readonly what: string;
  readonly cursor: Cursor;
  readonly columns: readonly TableColumn<Row>[];
  /** In place of a table without rows. */
  readonly children: ComponentChildren;
}) {
  return (
    <Shown live={live} what={what}>
      {({ items, total_count: total }) => (
        <>
          {items.length === 0 && children}
          {items.length > 0 && (
            <PageTable label={`Table of ${what}`} rows={items} keyOf={({ id }) => id} columns={columns} />
          )}
          <Pager cursor={cursor} items={items} total={total} />
        </>
      )}
    </Shown>
  );
}

interface PagerProps {
  readonly cursor: Cursor;
  readonly items: readonly { readonly id: number }[];
  /** Rows from this place on. */
  readonly total: number;
}

/** Leads through a list that is longer than a page. */
function Pager({ cursor, items, total }: PagerProps) {
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
