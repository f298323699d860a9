import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type TablePosition, positionAt, ROW, trackHeight } from './table-position.ts';

/** A column of a table. `kind`: numbers stand at the right, a time has room for all of it, and one column may take what is left. */
export interface TableColumn<Row> {
  readonly title: string;
  readonly kind?: 'number' | 'time' | 'wide';
  readonly cell: (row: Row) => ComponentChildren;
  /** Further classes of a cell, and what it says when the pointer rests on it. */
  readonly class?: (row: Row) => string;
}

interface TableProps<Row> {
  /** What it is, for those who do not see it: `Table of events`. */
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Its texts have several lines: all rows are elements, however many there are. */
  readonly hasTexts?: boolean;
  readonly children?: ComponentChildren;
}

/** From this many rows on, only those in view are elements. */
const LONG = 60;

/** A table that scrolls within itself. One with many rows has a height of its own, and elements for the rows in view alone. */
export function PageTable<Row>({ label, columns, rows, keyOf, hasTexts = false, children }: TableProps<Row>) {
  if (rows.length > LONG && !hasTexts)
    return (
      <>
        <LongTable label={label} columns={columns} length={rows.length} rowAt={(index) => rows[index]} />
        {children}
      </>
    );
  return (
    <div class={hasTexts ? 'scroll has-texts' : 'scroll'} tabIndex={0} role="group" aria-label={label}>
      <table>
        <Head columns={columns} />
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <Cells columns={columns} row={row} />
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </div>
  );
}

function Head<Row>({ columns }: Pick<TableProps<Row>, 'columns'>) {
  return (
    <thead>
      <tr>
        {columns.map(({ title, kind }) => (
          <th key={title} scope="col" class={kind}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Cells<Row>({ columns, row }: Pick<TableProps<Row>, 'columns'> & { readonly row: Row }) {
  return (
    <>
      {columns.map(({ title, kind, cell, class: more }) => (
        <td key={title} class={`${kind === 'number' ? 'number' : ''} ${more?.(row) ?? ''}`.trim() || undefined}>
          {cell(row)}
        </td>
      ))}
    </>
  );
}

/** The widths of columns in rem, at which their texts are not cut; longer names are. */
const WIDTHS = { time: 14, number: 5.5, wide: 12, text: 8 };
/** Rows that are in view at once. */
const ROWS_IN_VIEW = 16;

interface LongTableProps<Row> {
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly length: number;
  /** Undefined for one that is on its way. */
  readonly rowAt: (index: number) => Row | undefined;
  /** Called with the rows that come into view. */
  readonly show?: (first: number, last: number) => void;
}

/**
 * A table of any length. Its rows stand in front of an empty track as high as all of them, which scrolls; the elements stay where they
 * are, and get other contents. So rows are never missing while a browser scrolls, and a million needs as many elements as sixteen.
 */
export function LongTable<Row>({ label, columns, length, rowAt, show }: LongTableProps<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const position = useRef<TablePosition>({ scrollTop: 0, offset: 0 });
  const [first, setFirst] = useState(0);
  const inView = Math.min(length, ROWS_IN_VIEW);
  const size = { rows: length * ROW, view: inView * ROW };
  const start = Math.max(0, Math.min(first, length - inView));
  useEffect(() => show?.(start, start + inView), [start, inView, length]);
  const onScroll = () => {
    const element = frame.current as HTMLDivElement;
    const most = element.scrollHeight - element.clientHeight;
    position.current = positionAt(position.current, element.scrollTop, { ...size, most });
    if (position.current.scrollTop !== element.scrollTop) element.scrollTop = position.current.scrollTop;
    setFirst(Math.round(position.current.offset / ROW));
  };
  return (
    <div
      ref={frame}
      class="scroll long"
      tabIndex={0}
      role="group"
      aria-label={label}
      style={{ maxHeight: `${(inView + 1) * ROW + 14}px` }}
      onScroll={onScroll}
    >
      <div style={{ height: `${trackHeight(size) + ROW}px` }}>
        <table
          aria-rowcount={length + 1}
          style={{ minWidth: `${columns.reduce((sum, { kind }) => sum + WIDTHS[kind ?? 'text'], 0)}rem` }}
        >
          <Head columns={columns} />
          <tbody>
            {Array.from({ length: inView }, (_, slot) => {
              const row = rowAt(start + slot);
              return (
                <tr key={slot} aria-rowindex={start + slot + 2}>
                  {row === undefined ? (
                    <td colSpan={columns.length}>
                      <span class="note">…</span>
                    </td>
                  ) : (
                    <Cells columns={columns} row={row} />
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </div>
  );
}
