export const DAY = 86_400;

/** Intervals that samples are averaged over, in seconds, by the names that an option has for them. */
export const buckets: Readonly<Record<string, number>> = {
  '5m': 300,
  '30m': 1800,
  '1h': 3600,
  '12h': 43_200,
  '1d': DAY,
  '1w': 7 * DAY,
};
