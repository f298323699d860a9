import type { TimelineAttempt, TimelineBand, WorkflowTimeline } from '../../core/contract/view.ts';
import { grouped } from '../../core/quantity/count-text.ts';
import { greatest } from '../../core/quantity/extremes.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { causeWords, shortenedText, statusWords } from '../words.ts';
import { areaOf, lanesOf, failureMarks } from './lanes.ts';
import { clockText, type TimeSpan } from './window.ts';

/** The shortest bar and the height of a lane, in pixels. */
const [LEAST_PX, LANE_PX] = [4, 13];
/** So much of the width has the shortest bar, of the narrowest drawing. */
const LEAST_PART = LEAST_PX / 200;

interface RowProps {
  readonly name: string;
  /** Where its jobs are listed. */
  readonly href?: string | undefined;
  readonly series: Pick<TimelineBand, 'running' | 'failed'>;
  /** Those that are drawn one by one. */
  readonly attempts?: readonly TimelineAttempt[] | undefined;
  readonly shown: TimeSpan;
  readonly index: number;
}

/** A band: its name, what ran in each part of the time, and the most that ran at once. */
export function TimelineRow({ name, href, series, attempts, shown, index }: RowProps) {
  const { running, failed } = series;
  return (
    <div class="row">
      {href === undefined ? (
        <span title={name}>{name}</span>
      ) : (
        <a class="name" href={href} title={name}>
          {name}
        </a>
      )}
      {attempts === undefined ? (
        <div class="track" data-row={index}>
          <svg viewBox={`0 0 ${running.length} 1`} preserveAspectRatio="none" aria-hidden="true">
            <path class="area" d={areaOf(running)} />
            <path class="part is-failed" d={failureMarks(failed)} />
          </svg>
        </div>
      ) : (
        <Bars attempts={attempts} shown={shown} />
      )}
      <span class="number">{peakWords(running)}</span>
    </div>
  );
}

/** What ran at once: averages of parts of the time, which are whole numbers where they are not small. */
export function peakWords(running: readonly number[]): string {
  const most = greatest(running, 0);
  return most < 1 ? String(Math.round(most * 100) / 100) : grouped(Math.round(most));
}

function Bars({ attempts, shown }: { readonly attempts: readonly TimelineAttempt[]; readonly shown: TimeSpan }) {
  const shownMs = shown.untilMs - shown.fromMs;
  const spans = attempts.map(({ start, end }) => ({
    fromMs: Math.max(shown.fromMs, Date.parse(start)),
    untilMs: Math.min(shown.untilMs, end ? Date.parse(end) : shown.untilMs),
  }));
  const lanes = lanesOf(spans, shownMs * LEAST_PART);
  return (
    <div class="track bars" style={{ height: `${(greatest(lanes, 0) + 1) * LANE_PX + 3}px` }}>
      {attempts.map((attempt, at) => {
        const { fromMs, untilMs } = spans[at] as TimeSpan;
        const { job_id: job, attempt_id: number, status } = attempt;
        const words = wordsOf(attempt, shownMs);
        return (
          <a
            key={`${job} ${number}`}
            href={`#/jobs/${job}`}
            class={`attempt part is-${status} ${number > 1 ? 'is-retry' : ''}`}
            draggable={false}
            aria-label={words}
            title={words}
            style={{
              left: `min(${percentOf(fromMs)}, 100% - ${LEAST_PX}px)`,
              width: `${((untilMs - fromMs) / shownMs) * 100}%`,
              top: `${(lanes[at] as number) * LANE_PX + 2}px`,
            }}
          />
        );
      })}
    </div>
  );

  function percentOf(ms: number): string {
    return `${((ms - shown.fromMs) / shownMs) * 100}%`;
  }
}

/** What a bar says under the pointer and to those who do not see it. */
function wordsOf(attempt: TimelineAttempt, shownMs: number): string {
  const {
    job_name: name,
    attempt_id: number,
    start,
    end,
    status,
    return_code: code,
    compute_node_name: node,
  } = attempt;
  const cause = causeWords(attempt);
  const [startMs, endMs] = [Date.parse(start), Date.parse(end ?? '')];
  return [
    `${shortenedText(name, 80)}, attempt ${number}: ${statusWords(status)}${code ? ` with exit code ${code}` : ''}`,
    `${clockText(startMs, shownMs)} to ${end ? `${clockText(endMs, shownMs)}, ${timeText((endMs - startMs) / 1000)}` : 'now'}`,
    ...(node ? [`on ${shortenedText(node, 60)}`] : []),
    ...(cause ? [shortenedText(cause, 200)] : []),
  ].join('; ');
}

/** What a band says of one of the parts of the time. */
export const partWords = ({ running, ended, failed }: WorkflowTimeline | TimelineBand, bin: number): string =>
  `${peakWords([running[bin] ?? 0])} ran, ${grouped(ended[bin] ?? 0)} ended${failed[bin] ? `, ${grouped(failed[bin])} failed` : ''}`;
