import { grouped } from '../core/quantity/count-text.ts';

interface PagerProps {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly show: (offset: number) => void;
}

/** Leads through a list that is longer than a page. */
export function Pager({ offset, limit, total, show }: PagerProps) {
  if (total <= limit && offset === 0) return null;
  return (
    <div class="buttons pager">
      <button type="button" disabled={offset === 0} onClick={() => show(Math.max(0, offset - limit))}>
        Previous
      </button>
      <button type="button" disabled={offset + limit >= total} onClick={() => show(offset + limit)}>
        Next
      </button>
      <span class="note" role="status">
        {grouped(Math.min(offset + 1, total))} to {grouped(Math.min(offset + limit, total))} of {grouped(total)}
      </span>
    </div>
  );
}
