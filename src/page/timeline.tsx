import type { WorkflowTimeline } from '../core/contract/view.ts';
import { grouped } from '../core/quantity/count-text.ts';
import { greatest } from '../core/quantity/extremes.ts';
import { timeText } from '../core/quantity/time-text.ts';

const [WIDTH, HEIGHT] = [720, 120];

/** Attempts that ran, and those that failed, over time. The sentence below says what the drawing shows. */
export function Timeline({ timeline }: { readonly timeline: WorkflowTimeline }) {
  const { from, bin_seconds: binSeconds, running, ended, failed } = timeline;
  if (from === undefined || from === null || running.length === 0)
    return <p class="note">No job has started in this run.</p>;
  const most = greatest(running, 1);
  const step = WIDTH / running.length;
  const yOf = (value: number) => HEIGHT - (value / most) * (HEIGHT - 6);
  const line = running.map(
    (value, bin) =>
      `L${(bin * step).toFixed(1)} ${yOf(value).toFixed(1)}L${((bin + 1) * step).toFixed(1)} ${yOf(value).toFixed(1)}`,
  );
  const sum = (list: readonly number[]) => list.reduce((total, each) => total + each, 0);
  const seconds = binSeconds * running.length;
  const mean = sum(running) / running.length;
  const words = `In ${timeText(seconds)}, ${grouped(sum(ended))} attempts ended and ${grouped(sum(failed))} of them failed. At most ${grouped(Math.round(most))} ran at the same time; the average was ${mean < 100 ? mean.toFixed(1) : grouped(Math.round(mean))}.`;
  return (
    <figure class="timeline">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 14}`} preserveAspectRatio="none" role="img" aria-label={words}>
        <path class="area" d={`M0 ${HEIGHT}${line.join('')}L${WIDTH} ${HEIGHT}Z`} />
        {failed.map((count, bin) =>
          count === 0 ? null : (
            <rect
              key={bin}
              class="part is-failed"
              x={bin * step}
              y={HEIGHT + 3}
              width={Math.max(2, step - 0.5)}
              height="10"
            >
              <title>{`${grouped(count)} failed`}</title>
            </rect>
          ),
        )}
        <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
      </svg>
      <div class="scale" aria-hidden="true">
        <span>{clock(Date.parse(from))}</span>
        <span>at most {grouped(Math.round(most))} at the same time</span>
        <span>{clock(Date.parse(from) + seconds * 1000)}</span>
      </div>
      <figcaption>{words}</figcaption>
    </figure>
  );
}

/** By hand, as the first `toLocaleTimeString` of a page takes a fifth of the time until a workflow is drawn. */
function clock(ms: number): string {
  const at = new Date(ms);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
