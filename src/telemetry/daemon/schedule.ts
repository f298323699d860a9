/**
 * The next time to run an operation: a multiple of its cadence by the UTC clock, so that all nodes of a cluster sample at
 * the same moments, and no delay adds up.
 */
export const nextRun = (nowMs: number, cadenceSeconds: number): number => {
  const cadenceMs = cadenceSeconds * 1000;
  return (Math.floor(nowMs / cadenceMs) + 1) * cadenceMs;
};
