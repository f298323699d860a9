import { Choices } from '../parts.tsx';
import { replaceQuery } from '../query.ts';
import { type Range, rangeParameters, shiftedRange, type SpanName, spanWords } from './range.ts';

interface RangeProps {
  readonly range: Range;
  readonly spans: readonly SpanName[];
  /** The address of the view, where it has several. */
  readonly path?: string;
}

/** Chooses the time of a view. It stands in the address. */
export function RangeControl({ range, spans, path }: RangeProps) {
  const go = (set: Readonly<Record<string, string>>) => replaceQuery({ from: '', to: '', span: '', ...set }, path);
  const move = (times: number) => {
    const now = Date.now();
    const to = shiftedRange(range, times, now);
    go(to.untilMs === now && range.span !== undefined ? { span: range.span } : rangeParameters(to));
  };
  return (
    <div class="range">
      <Choices
        label="Time"
        of={spans}
        shown={range.span}
        words={(span) => spanWords[span]}
        choose={(span) => go({ span })}
      >
        <button type="button" onClick={() => move(-1)}>
          Earlier
        </button>
        <button type="button" disabled={range.span !== undefined} onClick={() => move(1)}>
          Later
        </button>
      </Choices>
      <p class="note">
        {new Date(range.fromMs).toLocaleString(undefined, SHORT)} to{' '}
        {range.span === undefined ? new Date(range.untilMs).toLocaleString(undefined, SHORT) : 'now'}
      </p>
    </div>
  );
}

const SHORT = { dateStyle: 'medium', timeStyle: 'short' } as const;
