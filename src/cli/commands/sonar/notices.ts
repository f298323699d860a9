/** A problem that lasts is logged once in this time: a daemon may run for years with a full disk. */
const SILENT_MS = 3_600_000;
/** Different texts that are remembered; a text may have a count in it. */
const MOST_TEXTS = 1_000;

/** Logs each problem with its time, and the same one again only after an hour. */
export function createNotices(report: (line: string) => void): (problem: string) => void {
  const reportedAtMs = new Map<string, number>();
  return (problem) => {
    const nowMs = performance.now();
    if (nowMs - (reportedAtMs.get(problem) ?? -Infinity) < SILENT_MS) return;
    if (reportedAtMs.size >= MOST_TEXTS) reportedAtMs.clear();
    reportedAtMs.set(problem, nowMs);
    report(`${new Date().toISOString().slice(0, 19)}Z ${problem}`);
  };
}
