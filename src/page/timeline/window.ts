/** A time that is shown, in Unix milliseconds. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The shortest time that is shown: a shorter one has no width of its own in a reply, whose times are milliseconds. */
const SHORTEST_MS = 20;

/** The parameters of an address that shows a part of the run; those of the whole run are empty. */
export const parametersOf = (span: TimeSpan | undefined) => ({
  from: span === undefined ? '' : new Date(span.fromMs).toISOString(),
  to: span === undefined ? '' : new Date(span.untilMs).toISOString(),
});

/** A time within the run, in whole milliseconds; undefined if it is all of it. */
export function within(whole: TimeSpan, fromMs: number, untilMs: number): TimeSpan | undefined {
  const length = Math.max(SHORTEST_MS, Math.round(untilMs - fromMs));
  const from = Math.max(whole.fromMs, Math.min(Math.round(fromMs), whole.untilMs - length));
  const until = Math.min(whole.untilMs, from + length);
  return from <= whole.fromMs && until >= whole.untilMs ? undefined : { fromMs: from, untilMs: until };
}

/** The same middle, and a length `times` as long. */
export function scaled({ fromMs, untilMs }: TimeSpan, whole: TimeSpan, times: number): TimeSpan | undefined {
  const [middle, half] = [(fromMs + untilMs) / 2, ((untilMs - fromMs) / 2) * times];
  return within(whole, middle - half, middle + half);
}

/** The same length, later by `times` of it. */
export function shifted({ fromMs, untilMs }: TimeSpan, whole: TimeSpan, times: number): TimeSpan | undefined {
  const by = (untilMs - fromMs) * times;
  return within(whole, fromMs + by, untilMs + by);
}

/**
 * A time of day; with milliseconds where the shown time is so short that seconds do not distinguish, and with the date where it is longer than
 * a day. By hand, as the first `toLocaleTimeString` of a page takes a fifth of the time until a workflow is drawn.
 */
export function clockText(ms: number, shownMs: number): string {
  const at = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = shownMs > 86_400_000 ? `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ` : '';
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  return `${day}${time}${shownMs < 20_000 ? `.${String(at.getMilliseconds()).padStart(3, '0')}` : ''}`;
}
