/** A problem that lasts is told once in this time: a daemon may run for years with a full disk. */
const SILENT_MS = 3_600_000;
/** Different texts that are remembered; a text may have a count in it. */
const MOST_TEXTS = 1_000;

/** Tells each problem with its time, and the same one again only after an hour. */
export function createNotices(tell: (line: string) => void): (problem: string) => void {
  const toldAtMs = new Map<string, number>();
  return (problem) => {
    const nowMs = performance.now();
    if (nowMs - (toldAtMs.get(problem) ?? -Infinity) < SILENT_MS) return;
    if (toldAtMs.size >= MOST_TEXTS) toldAtMs.clear();
    toldAtMs.set(problem, nowMs);
    tell(`${new Date().toISOString().slice(0, 19)}Z ${problem}`);
  };
}
