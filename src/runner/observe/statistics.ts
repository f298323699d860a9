/** The number of values, their maximum and their mean, computed without storing the values. */
export interface Statistics {
  readonly count: number;
  readonly peak: number;
  readonly average: number;
  add(value: number): void;
}

/** Before the first value all figures are 0. */
export function createStatistics(): Statistics {
  let count = 0;
  let peak = 0;
  let sum = 0;
  return {
    get count() {
      return count;
    },
    get peak() {
      return peak;
    },
    get average() {
      return count === 0 ? 0 : sum / count;
    },
    add(value) {
      count += 1;
      sum += value;
      peak = Math.max(peak, value);
    },
  };
}
