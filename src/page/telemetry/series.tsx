import { greatest } from '../../core/quantity/extremes.ts';

interface SeriesPoint {
  readonly ms: number;
  /** Until when the value holds, if that is not the distance of points. */
  readonly endMs?: number;
  readonly value: number | undefined;
}

interface SeriesProps {
  readonly title: string;
  readonly points: readonly SeriesPoint[];
  /** The distance of points: a longer one is a gap in the line. */
  readonly stepMs: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The end of the scale; without it, the greatest value. */
  readonly most?: number;
  /** What was asked for: a line across. */
  readonly asked?: number | undefined;
  readonly textOf: (value: number) => string;
}

interface Known {
  readonly ms: number;
  readonly endMs: number;
  readonly value: number;
}

const [WIDTH, HEIGHT] = [720, 90];

/** Values over time as a line, with the words for those who do not see it. The table below has the values. */
export function Series({ title, points, stepMs, fromMs, untilMs, most, asked, textOf }: SeriesProps) {
  const known = points.flatMap(({ ms, endMs = ms + stepMs, value }) =>
    value === undefined ? [] : [{ ms, endMs, value }],
  );
  if (known.length === 0)
    return (
      <div class="series">
        <h3>{title}</h3>
        <p class="note">Nothing was measured.</p>
      </div>
    );
  const peak = greatest(
    known.map(({ value }) => value),
    0,
  );
  const mean = known.reduce((sum, { value }) => sum + value, 0) / known.length;
  const words = `${title}: on average ${textOf(mean)}, at most ${textOf(peak)}${asked === undefined ? '' : `; ${textOf(asked)} asked for (dashed)`}.`;
  const end = Math.max(most ?? 0, peak, asked ?? 0, Number.MIN_VALUE);
  return (
    <figure class="series timeline">
      <h3>{title}</h3>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={words}>
        {runsOf(known, stepMs).map((run) => {
          const line = lineOf(run);
          const [first, last] = [xOf(run[0]?.ms ?? 0), xOf(run.at(-1)?.endMs ?? 0)];
          return <path key={first} class="area" d={`M${first} ${HEIGHT}${line}L${last} ${HEIGHT}Z`} />;
        })}
        {asked !== undefined && <line class="asked" x1="0" x2={WIDTH} y1={yOf(asked)} y2={yOf(asked)} />}
        <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
      </svg>
      <figcaption>{words}</figcaption>
    </figure>
  );

  function xOf(ms: number): number {
    return Math.round(Math.min(1, Math.max(0, (ms - fromMs) / (untilMs - fromMs))) * WIDTH * 10) / 10;
  }
  function yOf(value: number): string {
    return (HEIGHT - 2 - (value / end) * (HEIGHT - 6)).toFixed(1);
  }
  /** A step of the scale as a line with a level for each step. */
  function lineOf(run: readonly Known[]): string {
    return run.map(({ ms, endMs, value }) => `L${xOf(ms)} ${yOf(value)}L${xOf(endMs)} ${yOf(value)}`).join('');
  }
}

/** The ends of the time that plots share. */
export const TimeScale = ({ fromMs, untilMs }: Pick<SeriesProps, 'fromMs' | 'untilMs'>) => (
  <div class="scale" aria-hidden="true">
    <span>{new Date(fromMs).toLocaleString()}</span>
    <span>{new Date(untilMs).toLocaleString()}</span>
  </div>
);

/** The points in parts without gaps between them. */
function runsOf<P extends { readonly ms: number; readonly endMs: number }>(
  points: readonly P[],
  stepMs: number,
): P[][] {
  const runs: P[][] = [];
  for (const point of points) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run !== undefined && last !== undefined && point.ms - last.endMs <= stepMs * 0.5) run.push(point);
    else runs.push([point]);
  }
  return runs;
}
