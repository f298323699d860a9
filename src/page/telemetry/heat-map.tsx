import { printable } from '../../core/text/printable.ts';
import { useState } from 'preact/hooks';
import { LEVELS, pathsOf } from './heat-cells.ts';

interface HeatMapProps {
  /** What it shows, in words: the table below has the figures. */
  readonly words: string;
  readonly names: readonly string[];
  readonly columns: readonly { readonly fromMs: number; readonly untilMs: number }[];
  readonly rows: readonly (readonly (number | undefined)[])[];
  readonly open: (name: string) => void;
  readonly timeText?: (ms: number) => string;
  /** What a cell without a value means. */
  readonly none?: string;
}

/** Up to so many rows have their names beside them; more are lines, which name themselves under the pointer. */
const MOST_NAMED = 60;
const [NAMED_PX, LINE_PX] = [19, 5];

/** Percentages as colours: a row for each node, a column for each hour. */
export function HeatMap({ words, names, columns, rows, open, timeText = hourText, none = 'no sample' }: HeatMapProps) {
  const [at, setAt] = useState<{ row: number; column: number }>();
  const isNamed = names.length <= MOST_NAMED;
  const height = isNamed ? NAMED_PX : LINE_PX;
  const cellOf = ({ currentTarget, clientX, clientY }: PointerEvent | MouseEvent) => {
    const box = (currentTarget as Element).getBoundingClientRect();
    return {
      row: Math.min(rows.length - 1, Math.max(0, Math.floor(((clientY - box.top) / box.height) * rows.length))),
      column: Math.min(
        columns.length - 1,
        Math.max(0, Math.floor(((clientX - box.left) / box.width) * columns.length)),
      ),
    };
  };
  return (
    <figure class="heat">
      <div class="map" tabIndex={0} role="group" aria-label="Heat map of the nodes">
        {isNamed && (
          <ol aria-hidden="true">
            {names.map((name) => (
              <li key={name}>{shortName(name)}</li>
            ))}
          </ol>
        )}
        <svg
          viewBox={`0 0 ${columns.length} ${rows.length}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={words}
          style={{ height: `${rows.length * height}px` }}
          onPointerMove={(event) => setAt(cellOf(event))}
          onPointerLeave={() => setAt(undefined)}
          onClick={(event) => {
            const name = names[cellOf(event).row];
            if (name !== undefined) open(name);
          }}
        >
          {pathsOf({ rows }).map((path, level) => (
            <path key={level} class={`heat-${level}`} d={path} />
          ))}
        </svg>
      </div>
      <div class={`scale ${isNamed ? 'is-beside' : ''}`} aria-hidden="true">
        <span>{columns[0] === undefined ? '' : timeText(columns[0].fromMs)}</span>
        <span>{columns.at(-1) === undefined ? '' : timeText(columns.at(-1)?.untilMs ?? 0)}</span>
      </div>
      <p class="legend">
        {Array.from({ length: LEVELS }, (_, level) => (
          <span key={level} class={`swatch heat-${level}`} aria-hidden="true" />
        ))}
        <span>0 to 100 %</span>
        <span class="swatch" aria-hidden="true" />
        <span>{none}</span>
        <span class="end">{at === undefined ? '' : cellWords(at)}</span>
      </p>
      <figcaption>{words}</figcaption>
    </figure>
  );

  function cellWords({ row, column }: { readonly row: number; readonly column: number }): string {
    const percent = rows[row]?.[column];
    const time = columns[column];
    return `${shortName(names[row] ?? '')}, ${time === undefined ? '' : `${timeText(time.fromMs)}: `}${percent === undefined ? none : `${Math.round(percent)} %`}`;
  }
}

/** Nodes of a cluster differ in their first labels. */
export const shortName = (name: string): string => printable(name.split('.')[0] ?? name);

export const hourText = (ms: number): string =>
  new Date(ms).toLocaleString(undefined, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
