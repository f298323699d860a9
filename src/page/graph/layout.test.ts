import fc from 'fast-check';
import { expect, it } from 'vitest';
import { layout } from './layout.ts';

it('a family stands right of everything that it depends on, and a family alone in the first layer', () => {
  const places = layout(
    ['a', 'b', 'c', 'd'],
    [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'a', to: 'c' },
    ],
  );
  expect([...places].map(([key, { layer }]) => `${key}${layer}`)).toEqual(['a0', 'd0', 'b1', 'c2']);
});

it('rows follow those of the layer before, so that parallel chains do not cross', () => {
  const places = layout(
    ['a', 'b', 'x', 'y'],
    [
      { from: 'a', to: 'y' },
      { from: 'b', to: 'x' },
    ],
  );
  expect([places.get('a')?.row, places.get('y')?.row]).toEqual([0, 0]);
});

const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
const key = fc.constantFrom(...keys);
const edge = fc.record({ from: key, to: key });

it('no two families have the same place, also where families depend on each other in a circle', () => {
  fc.assert(
    fc.property(fc.array(edge), (edges) => {
      const places = [...layout(keys, edges).values()].map(({ layer, row }) => `${layer} ${row}`);
      expect(new Set(places).size).toBe(keys.length);
    }),
  );
});

it('without a circle every edge leads to the right', () => {
  fc.assert(
    fc.property(fc.array(edge), (all) => {
      const edges = all.filter(({ from, to }) => from < to);
      const places = layout(keys, edges);
      for (const { from, to } of edges) expect(places.get(from)?.layer).toBeLessThan(places.get(to)?.layer ?? 0);
    }),
  );
});
