/** Seconds since the beginning, and a value. */
export type Point = readonly [at: number, value: number];

/**
 * At most this many points that look the same: the minimum and the maximum of each interval, in their order, so that no
 * peak is lost.
 */
export function thin(points: readonly Point[], most: number): readonly Point[] {
  if (points.length <= most) return points;
  const stretches = Math.floor(most / 2);
  const kept: Point[] = [];
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const from = Math.floor((stretch * points.length) / stretches);
    const to = Math.floor(((stretch + 1) * points.length) / stretches);
    let lowest = from;
    let highest = from;
    for (let index = from; index < to; index += 1) {
      const [, value] = points[index] as Point;
      if (value < (points[lowest] as Point)[1]) lowest = index;
      if (value > (points[highest] as Point)[1]) highest = index;
    }
    kept.push(points[Math.min(lowest, highest)] as Point);
    if (lowest !== highest) kept.push(points[Math.max(lowest, highest)] as Point);
  }
  return kept;
}
