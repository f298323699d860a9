import { queueStateOf } from '../../../core/allocation/slurm-state.ts';

/** Readers of the texts that several programs of Slurm print. */

const UNITS: Readonly<Record<string, number>> = {
  '': 1 / 1024,
  K: 1,
  M: 1024,
  G: 1024 ** 2,
  T: 1024 ** 3,
  P: 1024 ** 4,
};

/** Kilobytes, rounded up, of an amount such as `1.50M`, `12000K` or `4096` (bytes); 0 for any other text. */
export function kilobytesOf(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([KMGTP]?)$/.exec(text.trim()) ?? [];
  return amount === undefined ? 0 : Math.ceil(Number(amount) * (UNITS[unit] ?? 0));
}

/** Seconds, rounded, of `[days-][hours:]minutes:seconds[.fraction]`; 0 for any other text. */
export function secondsOf(text: string): number {
  const match = /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)$/.exec(text.trim());
  if (match === null) return 0;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return Math.round(((days * 24 + hours) * 60 + minutes) * 60 + seconds);
}

/**
 * The names and ranges in a list of nodes such as `c1-[1-3,5],bigmem-1`: commas within brackets belong to the range. A
 * job that waits has none.
 */
export function namesOf(list: string): string[] {
  const text = list.trim();
  if (text === '' || /^(?:None assigned|\(null\)|N\/A|None)$/i.test(text)) return [];
  return text.split(/,(?![^[]*\])/).filter((each) => each !== '');
}

/**
 * Unix milliseconds of `2026-03-09T10:00:00`; undefined for `Unknown`, `None` and `N/A`.
 *
 * The programs are run with the zone UTC: the hour that a change from summer time repeats has two times in local time.
 */
export function utcMs(text: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)$/.exec(text.trim())?.[1];
  const ms = match === undefined ? Number.NaN : Date.parse(`${match}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

export const hasJobEnded = (state: string): boolean => queueStateOf(state) === 'ended';
