import { useRef } from 'preact/hooks';
import type { WorkflowTimeline } from '../../core/contract/view.ts';
import { counted, grouped } from '../../core/quantity/count-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { queryNow, replaceQuery, timesIn } from '../query.ts';
import { Choices, StepButton } from '../parts.tsx';
import { shortenedText } from '../words.ts';
import { useDrag } from './drag.ts';
import { partWords, peakWords, TimelineRow } from './rows.tsx';
import { At, AttemptTable, BandTable, sum } from './tables.tsx';
import { clockText, parametersOf, scaled, shifted, type TimeSpan, within } from './window.ts';

interface TimelineProps {
  readonly id: number;
  readonly timeline: WorkflowTimeline;
  readonly query: URLSearchParams;
}

/** More bands are lower. */
const MOST_HIGH = 24;

/**
 * Attempts over time: all together, and below them families or runners. The part of the run that is shown stands in the address; few
 * attempts are bars. The table below has the figures.
 */
export function Timeline(props: TimelineProps) {
  const { from } = props.timeline;
  return from ? <Course {...props} fromMs={Date.parse(from)} /> : <p class="note">No job has started in this run.</p>;
}

function Course({ id, timeline, query, fromMs }: TimelineProps & { readonly fromMs: number }) {
  const { bin_seconds: binSeconds, running, ended, failed, attempts, bands_left_out: leftOut } = timeline;
  const bands = timeline.bands ?? [];
  const shownMs = binSeconds * 1000 * running.length;
  const shown: TimeSpan = { fromMs, untilMs: fromMs + shownMs };
  const whole: TimeSpan = { fromMs: Date.parse(timeline.run_from ?? ''), untilMs: Date.parse(timeline.run_to ?? '') };
  const by = query.get('by') === 'runner' ? 'runner' : 'family';
  /** Steps that follow one another add up, though what the address says is still on its way. */
  const chosen = () => timesIn(queryNow()) ?? whole;
  const go = (span: TimeSpan | undefined) => replaceQuery(parametersOf(span));
  const { selected, handlers } = useDrag((begin, end) =>
    go(within(whole, fromMs + begin * shownMs, fromMs + end * shownMs)),
  );
  const said = useRef<HTMLParagraphElement>(null);
  /** What is under the pointer or has the focus. As text: a drawing of 200 bands is not made again at each move. */
  const say = ({ target, clientX = NaN }: { readonly target: EventTarget | null; readonly clientX?: number }) => {
    const element = target as Element;
    const track = element.closest<HTMLElement>('.track');
    const box = track?.getBoundingClientRect();
    const bin = box === undefined ? NaN : Math.floor(((clientX - box.left) / box.width) * running.length);
    const row = [timeline, ...bands][Number(track?.dataset['row'])];
    const words =
      row === undefined || !(bin in running)
        ? ''
        : `${clockText(fromMs + bin * binSeconds * 1000, shownMs)}: ${partWords(row, bin)}`;
    if (said.current) said.current.textContent = element.closest('.attempt')?.getAttribute('aria-label') ?? words;
  };
  const mean = sum(running) / running.length;
  const words = `In ${timeText(shownMs / 1000)}, ${counted(sum(ended), 'attempt')} ended and ${grouped(sum(failed))} of them failed. At most ${peakWords(running)} ran at the same time; the average was ${mean < 100 ? mean.toFixed(1) : grouped(Math.round(mean))}.`;
  return (
    <figure class="timeline">
      <div class="range">
        <Choices
          label="Bands"
          of={['family', 'runner']}
          shown={by}
          words={(each) => `by ${each}`}
          choose={(each) => replaceQuery({ by: each === 'family' ? '' : each })}
        />
        <div class="choices" role="group" aria-label="Time">
          <StepButton press="+" says="Zoom in" go={() => go(scaled(chosen(), whole, 0.5))} />
          <StepButton press="-" says="Zoom out" go={() => go(scaled(chosen(), whole, 2))} />
          <StepButton press="ArrowLeft" says="Earlier" go={() => go(shifted(chosen(), whole, -0.5))} />
          <StepButton press="ArrowRight" says="Later" go={() => go(shifted(chosen(), whole, 0.5))} />
          <StepButton press="0" says="Whole run" go={() => go(undefined)} />
        </div>
      </div>
      <div {...handlers} class="course" onPointerOver={say} onMouseMove={say} onFocusIn={say}>
        <div
          class={bands.length > MOST_HIGH ? 'bands is-dense' : 'bands'}
          tabIndex={0}
          role="group"
          aria-label={`Attempts by ${by}`}
        >
          <TimelineRow name="All" series={timeline} shown={shown} index={0} />
          {bands.map((band, at) => (
            <TimelineRow
              key={band.key}
              name={shortenedText(band.name, 60)}
              href={
                by === 'family' && band.key ? `#/workflows/${id}/families/${encodeURIComponent(band.key)}` : undefined
              }
              series={band}
              attempts={attempts?.filter((each) => each.band === band.key)}
              shown={shown}
              index={at + 1}
            />
          ))}
        </div>
        {selected !== undefined && (
          <div class="selected" style={{ left: `${selected.left}px`, width: `${selected.width}px` }} />
        )}
      </div>
      <div class="scale">
        <At ms={shown.fromMs} shownMs={shownMs} />
        <span>{timeText(shownMs / 1000)}</span>
        <At ms={shown.untilMs} shownMs={shownMs} />
      </div>
      <p ref={said} class="note said" />
      <figcaption>
        {words}
        {leftOut
          ? ` The bands with the most running time are shown; ${grouped(leftOut)} more are one, the others.`
          : ''}{' '}
        {attempts
          ? 'Each bar is an attempt; striped ones are retries, and those that failed have a notch.'
          : 'Each band has a height of its own, with the most that ran at once beside it; marks below its line are failures. Zoomed in, few attempts are bars.'}
      </figcaption>
      {attempts?.length === 0 ? (
        <p class="note">Nothing ran in this time.</p>
      ) : attempts ? (
        <AttemptTable attempts={attempts} shownMs={shownMs} />
      ) : (
        <BandTable bands={bands} title={by === 'family' ? 'Family' : 'Runner'} />
      )}
    </figure>
  );
}
