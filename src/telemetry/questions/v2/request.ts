import { exactUint, GREATEST_UINT } from '../../../core/contract/sonar/extended-uint.ts';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import type { AskedWindow } from '../../store/rows/rows.ts';
import type { TelemetryStore } from '../../store/telemetry-store.ts';
import { type RefusalCode, refusals } from '../../../core/contract/refusals.ts';

/** A request below `/api/v2/cluster/C`. */
export interface V2Request {
  readonly store: TelemetryStore;
  readonly cluster: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Unix time. */
  readonly now: number;
  /** Only jobs of this user, besides totals of nodes; undefined sees everything. */
  readonly onlyUser: string | undefined;
}

/** What cannot be answered; `parameter` names the one that is wrong. */
export class V2Refusal extends Error {
  readonly status: 404 | 422;
  readonly code: RefusalCode;
  readonly remedy: string;
  readonly parameter: string | undefined;

  constructor(status: 404 | 422, code: RefusalCode, message: string, remedy: string, parameter?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.remedy = remedy;
    this.parameter = parameter;
  }
}

const wrong = (parameter: string, message: string): V2Refusal =>
  new V2Refusal(
    422,
    'PARAMETER_REFUSED',
    `${parameter}: ${message}`,
    'Correct the parameter that the message names.',
    parameter,
  );

export const missingParameter = (code: RefusalCode, message: string): V2Refusal =>
  new V2Refusal(404, code, message, refusals[code].remedy);

/** A time or a length in seconds; absent and empty are the same. Fractions are dropped. */
export function secondsIn({ parameters }: Pick<V2Request, 'parameters'>, name: string): number | undefined {
  const text = parameters[name] ?? '';
  if (text === '' || text === 'null') return undefined;
  if (/^\d{1,12}(?:\.\d*)?$/.test(text)) return Math.floor(Number(text));
  throw wrong(name, `expected a number of seconds, found "${text}"`);
}

/** A whole number within limits. */
export function countIn(
  { parameters }: Pick<V2Request, 'parameters'>,
  name: string,
  { usual, least = 1, most }: { readonly usual: number; readonly least?: number; readonly most: number },
): number {
  const text = parameters[name] ?? '';
  if (text === '' || text === 'null') return usual;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value >= least && value <= most) return value;
  throw wrong(name, `expected a whole number from ${least} to ${most}, found "${text}"`);
}

/** An id of a job or an epoch. */
export function uintFrom(name: string, text: string): Uint {
  if (/^\d{1,20}$/.test(text) && BigInt(text) <= GREATEST_UINT) return exactUint(BigInt(text));
  throw wrong(name, `expected an unsigned integer, found "${text}"`);
}

export function uintIn({ parameters }: Pick<V2Request, 'parameters'>, name: string): Uint | undefined {
  const text = parameters[name] ?? '';
  return text === '' || text === 'null' ? undefined : uintFrom(name, text);
}

const HOUR = 3600;
const DAY = 24 * HOUR;
/** As slurm-monitor limits it. */
const MOST_DAYS = 14;
const USUAL_POINTS = 120;

export interface Interval {
  readonly window: AskedWindow;
  readonly resolutionSeconds: number;
}

/** The last hour, in 120 points that are not less than a minute apart, unless the query says otherwise. */
export function intervalOf(asked: V2Request): Interval {
  const end = secondsIn(asked, 'end_time_in_s') ?? asked.now;
  const start = secondsIn(asked, 'start_time_in_s') ?? end - HOUR;
  if (end < start) throw wrong('end_time_in_s', `expected a time that is not before start_time_in_s, found ${end}`);
  if (end - start > MOST_DAYS * DAY)
    throw wrong(
      'start_time_in_s',
      `expected at most ${MOST_DAYS} days before the end, found ${((end - start) / DAY).toFixed(2)} days`,
    );
  const usual = Math.max(60, Math.floor((end - start) / USUAL_POINTS));
  const resolutionSeconds = countIn(asked, 'resolution_in_s', { usual, most: DAY });
  const { cluster, onlyUser } = asked;
  // The end is part of it.
  return { window: { cluster, from: Math.max(0, start), until: end + 1, user: onlyUser }, resolutionSeconds };
}

/** Beyond this an answer has hundreds of megabytes. */
const MOST_POINTS = 500_000;

/** Counts the points of an answer, and refuses one that becomes too large. */
export class Points {
  #count = 0;

  add(count = 1): void {
    this.#count += count;
    if (this.#count > MOST_POINTS)
      throw wrong(
        'resolution_in_s',
        `the answer has more than ${MOST_POINTS} points; ask for a coarser resolution, a shorter time, or one node or job`,
      );
  }
}
