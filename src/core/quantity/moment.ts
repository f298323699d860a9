/**
 * Unix milliseconds of a time stamp such as `2026-03-01T12:00:00Z`; undefined for no text and for text that is none.
 *
 * To read a time is no look at the clock, which core does not take.
 */
export function parseMoment(text: string | null | undefined): number | undefined {
  // oxlint-disable-next-line no-restricted-globals
  const atMs = Date.parse(text ?? '');
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** Unix milliseconds as `2026-03-01T12:00:00.000Z`. */
// oxlint-disable-next-line no-restricted-globals
export const isoMoment = (atMs: number): string => new Date(atMs).toISOString();
