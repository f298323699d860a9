/** From the start of an attempt to its end, in Unix seconds. */
export interface AttemptSpan {
  readonly startSeconds: number;
  /** Until now while it runs. */
  readonly endSeconds: number;
  readonly hasEnded: boolean;
  readonly hasFailed: boolean;
  /** How much of what is counted runs with it; 1 by default, so that attempts are counted. */
  readonly weight?: number;
}

/** Equal parts of a time, and what happened in each. */
export interface TimeBins {
  readonly fromSeconds: number;
  readonly binSeconds: number;
  /** The average number of attempts that ran during the part, or of what they weigh. */
  readonly running: number[];
  /** Attempts that ended in the part, failed ones included. */
  readonly ended: number[];
  readonly failed: number[];
}

export interface BinBuilder {
  /** One that does not overlap the time changes nothing. */
  add(attempt: AttemptSpan): void;
  finish(): TimeBins;
}

/**
 * Counts attempts in `bins` equal parts of the time from `fromSeconds` to `toSeconds`. The cost of an attempt does not grow with
 * its length: `whole` holds where the number of attempts that run through a whole part changes.
 */
export function createBins(fromSeconds: number, toSeconds: number, bins: number): BinBuilder {
  const binSeconds = Math.max(toSeconds - fromSeconds, 1e-3) / bins;
  const zeros = () => Array.from({ length: bins }, () => 0);
  const [parts, whole, ended, failed] = [zeros(), [...zeros(), 0], zeros(), zeros()];
  const count = (list: number[], index: number, amount: number) => {
    list[index] = (list[index] ?? 0) + amount;
  };
  const place = (seconds: number) => Math.min(bins, Math.max(0, (seconds - fromSeconds) / binSeconds));
  const binOf = (position: number) => Math.min(bins - 1, Math.floor(position));

  return {
    add({ startSeconds, endSeconds, hasEnded, hasFailed, weight = 1 }) {
      if (startSeconds > toSeconds || endSeconds < fromSeconds) return;
      const start = place(startSeconds);
      const end = Math.max(start, place(endSeconds));
      const [first, last] = [binOf(start), binOf(end)];
      if (first === last) count(parts, first, weight * (end - start));
      else {
        count(parts, first, weight * (first + 1 - start));
        count(parts, last, weight * (end - last));
        count(whole, first + 1, weight);
        count(whole, last, -weight);
      }
      if (!hasEnded || endSeconds > toSeconds) return;
      count(ended, last, 1);
      if (hasFailed) count(failed, last, 1);
    },
    finish() {
      let through = 0;
      const running = parts.map((part, index) => {
        through += whole[index] ?? 0;
        return part + through;
      });
      return { fromSeconds, binSeconds, running, ended, failed };
    },
  };
}
