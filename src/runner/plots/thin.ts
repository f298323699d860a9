/** Seconds since the beginning, and a value. */
export type PlotPoint = readonly [at: number, value: number];

/**
 * At most this many points that look the same: the minimum and the maximum of each interval, in their order, so that no
 * peak is lost.
 */
export function thin(points: readonly PlotPoint[], most: number): readonly PlotPoint[] {
  if (points.length <= most) return points;
  const stretches = Math.floor(most / 2);
  const kept: PlotPoint[] = [];
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const from = Math.floor((stretch * points.length) / stretches);
    const to = Math.floor(((stretch + 1) * points.length) / stretches);
    let lowest = from;
    let highest = from;
    for (let index = from; index < to; index += 1) {
      const [, value] = points[index] as PlotPoint;
      if (value < (points[lowest] as PlotPoint)[1]) lowest = index;
      if (value > (points[highest] as PlotPoint)[1]) highest = index;
    }
    kept.push(points[Math.min(lowest, highest)] as PlotPoint);
    if (lowest !== highest) kept.push(points[Math.max(lowest, highest)] as PlotPoint);
  }
  return kept;
}
