import { durationText, marksUpTo, shortNumber, timeMarks } from './scale.ts';
import { type PlotPoint, thin } from './thin.ts';

export interface ChartLine {
  readonly name: string;
  readonly points: readonly PlotPoint[];
}

export interface Chart {
  readonly title: string;
  /** `%`, `GiB`: the unit of the values. */
  readonly unit: string;
  readonly lines: readonly ChartLine[];
  /** Horizontal lines, each with its name. */
  readonly levels?: readonly ChartLevel[];
  /** The end of the time axis in seconds, if after the last point. */
  readonly endSeconds?: number;
}

export interface ChartLevel {
  readonly name: string;
  readonly value: number;
  /** `total` is the whole memory of a node; it is always drawn. */
  readonly kind: 'limit' | 'peak' | 'total';
}

/** A limit that is more times higher than the values is written as text: with its line, the others would lie on the axis. */
const MOST_TIMES_HIGHER = 5;

const WIDTH = 860;
const HEIGHT = 260;
const LEFT = 64;
const RIGHT = 16;
const TOP = 34;
const BOTTOM = 34;
/** More points are not visible at this width, and a week of samples would be a file of megabytes. */
const MOST_POINTS = 1_600;

/** Lines over time as an SVG picture. Time begins at 0; colours are CSS classes of the page. */
export function chartSvg({ title, unit, lines, levels = [], endSeconds = 0 }: Chart): string {
  let last = endSeconds;
  let most = 0;
  for (const { points } of lines) {
    for (const [at, value] of points) {
      last = Math.max(last, at);
      most = Math.max(most, value);
    }
  }
  // A single sample is a moment.
  const seconds = last > 0 ? last : 1;
  const isNear = ({ kind, value }: ChartLevel) => kind !== 'limit' || most === 0 || value <= MOST_TIMES_HIGHER * most;
  const near = levels.filter(isNear);
  const far = levels.filter((level) => !isNear(level));
  for (const { value } of near) most = Math.max(most, value);
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
    return `<g><title>${escapedMarkup(name)}</title>${shape}</g>`;
  });
  const across = near.map(({ name, value, kind }) => {
    const at = place(y(value));
    // Names of a limit and of a peak of the same height do not cover one another.
    const [anchor, from] = kind === 'peak' ? ['end', WIDTH - RIGHT] : ['start', LEFT + 8];
    return (
      `<line class="${kind}" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/>` +
      `<text class="mark" x="${from}" y="${place(nameAt(y(value)))}" text-anchor="${anchor}">${escapedMarkup(name)}</text>`
    );
  });
  const above = far.map(
    ({ name }) =>
      `<text class="mark" x="${WIDTH - RIGHT}" y="20" text-anchor="end">${escapedMarkup(name)}, above this picture</text>`,
  );
  const label = `${title} (${unit})`;
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapedMarkup(label)}">`,
    `<text class="title" x="${LEFT}" y="20">${escapedMarkup(label)}</text>`,
    ...rows,
    ...times,
    ...drawn,
    ...across,
    ...above,
    '</svg>',
  ].join('\n');
}

/** A name stands above its line; below it where it would cover the title. */
const nameAt = (y: number): number => (y - TEXT_HEIGHT < TITLE_BOTTOM ? y + TEXT_HEIGHT + 2 : y - 5);

const TEXT_HEIGHT = 12;
const TITLE_BOTTOM = 24;

/** The number of line colours of the page. */
const COLOURS = 6;

const pathOf = (points: readonly PlotPoint[], x: (at: number) => number, y: (value: number) => number): string =>
  points.map(([at, value], index) => `${index === 0 ? 'M' : 'L'}${place(x(at))} ${place(y(value))}`).join('');

/** A tenth of a pixel is precise enough. */
const place = (value: number): string => String(Math.round(value * 10) / 10);

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text escaped for HTML, also between quotes: names of jobs may contain any character. */
export const escapedMarkup = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (letter) => entities[letter] as string);
