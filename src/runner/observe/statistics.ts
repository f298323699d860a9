/**
 * The number of values, their maximum and their sum, without storing the values. Before the first value all figures are 0.
 *
 * Plain figures: every job has one of these, and most short ones end without a value.
 */
export interface SampleStatistics {
  count: number;
  peak: number;
  sum: number;
}

export const noValues = (): SampleStatistics => ({ count: 0, peak: 0, sum: 0 });

export function addValue(to: SampleStatistics, value: number): void {
  to.count += 1;
  to.sum += value;
  to.peak = Math.max(to.peak, value);
}

export const averageOf = ({ count, sum }: SampleStatistics): number => (count === 0 ? 0 : sum / count);
