import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchLane } from './batch-lane.ts';
import { until } from './programs.ts';
import { type ShapeSystem, textOfShape, WORKFLOW_SHAPES } from './workflow-shapes.ts';

const ENDED = ['completed', 'failed', 'canceled', 'terminated'];

/** Submits all shapes at once, and tries what is to come of each. */
export function tryShapes(openLane: () => Promise<BatchLane>, system: ShapeSystem): void {
  describe('fifteen shapes of workflows, submitted together', { timeout: 300_000 }, () => {
    let lane: BatchLane;
    const ids = new Map<string, number>();
    beforeAll(async () => {
      lane = await openLane();
      for (const [name, shape] of Object.entries(WORKFLOW_SHAPES))
        ids.set(name, (await lane.submitted(`shape-${name}`, textOfShape(name, shape, system))).id);
    }, 240_000);

    it.each(Object.entries(WORKFLOW_SHAPES).map(([name, shape]) => [shape.holds, name, shape] as const))(
      '%s',
      async (_, name, { others = {}, wrote }) => {
        const found = await until(
          () => lane.statuses(ids.get(name) as number),
          (statuses) => Object.values(statuses).every((status) => ENDED.includes(status)),
          `the jobs of ${name} to end`,
          240_000,
        );
        expect(found).toEqual({
          ...Object.fromEntries(Object.keys(found).map((job) => [job, 'completed'])),
          ...others,
        });
        for (const [file, expected] of Object.entries(wrote)) {
          const lines = lane.lines(file);
          if (expected instanceof RegExp) expect(`${lines.join('\n')}\n`).toMatch(expected);
          else expect(lines.toSorted()).toEqual([...expected].toSorted());
        }
      },
    );
  });
}
