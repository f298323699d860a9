import { durationText, marksUpTo, shortNumber, timeMarks } from './scale.ts';
import { escaped } from './escaped.ts';
import { thin, type Point } from './thin.ts';

export interface Line {
  readonly name: string;
  readonly points: readonly Point[];
}

export interface Chart {
  readonly title: string;
  /** `%`, `GiB`: the unit of the values. */
  readonly unit: string;
  readonly lines: readonly Line[];
  /** A limit that is drawn as a horizontal line, with its name. */
  readonly limit?: { readonly name: string; readonly value: number } | undefined;
}

const WIDTH = 860;
const HEIGHT = 260;
const LEFT = 64;
const RIGHT = 16;
const TOP = 34;
const BOTTOM = 34;
/** More points are not visible at this width, and a week of samples would be a file of megabytes. */
const MOST_POINTS = 1_600;

/** Lines over time as an SVG picture. Time begins at 0; colours are CSS classes of the page. */
export function chartSvg({ title, unit, lines, limit }: Chart): string {
  let seconds = 1;
  let most = limit?.value ?? 0;
  for (const { points } of lines) {
    for (const [at, value] of points) {
      seconds = Math.max(seconds, at);
      most = Math.max(most, value);
    }
  }
  const marks = marksUpTo(most);
  const highest = marks.at(-1) as number;
  const x = (at: number) => LEFT + (at / seconds) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / highest) * (HEIGHT - TOP - BOTTOM);

  const rows = marks.map(
    (mark) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${place(y(mark))}" y2="${place(y(mark))}"/>` +
      `<text class="mark" x="${LEFT - 8}" y="${place(y(mark) + 4)}" text-anchor="end">${shortNumber(mark)}</text>`,
  );
  const times = timeMarks(seconds).map(
    (mark) =>
      `<text class="mark" x="${place(x(mark))}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${durationText(mark)}</text>`,
  );
  const drawn = lines.map(({ name, points }, index) => {
    const [only] = points.length === 1 ? points : [];
    const shape =
      only === undefined
        ? `<path class="line c${index % COLOURS}" d="${pathOf(thin(points, MOST_POINTS), x, y)}"/>`
        : `<circle class="dot c${index % COLOURS}" cx="${place(x(only[0]))}" cy="${place(y(only[1]))}" r="3"/>`;
    return `<g><title>${escaped(name)}</title>${shape}</g>`;
  });
  const bound =
    limit === undefined
      ? ''
      : `<line class="limit" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${place(y(limit.value))}" y2="${place(y(limit.value))}"/>` +
        `<text class="mark" x="${WIDTH - RIGHT}" y="${place(y(limit.value) - 5)}" text-anchor="end">${escaped(limit.name)}</text>`;
  const label = `${title} (${unit})`;
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(label)}">`,
    `<text class="title" x="${LEFT}" y="20">${escaped(label)}</text>`,
    ...rows,
    ...times,
    bound,
    ...drawn,
    '</svg>',
  ].join('\n');
}

/** The number of line colours of the page. */
export const COLOURS = 6;

const pathOf = (points: readonly Point[], x: (at: number) => number, y: (value: number) => number): string =>
  points.map(([at, value], index) => `${index === 0 ? 'M' : 'L'}${place(x(at))} ${place(y(value))}`).join('');

/** A tenth of a pixel is precise enough. */
const place = (value: number): string => String(Math.round(value * 10) / 10);
