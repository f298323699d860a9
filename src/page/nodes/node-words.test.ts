import { expect, it } from 'vitest';
import type { NodeUse } from '../../core/contract/view.ts';
import { mappedNodesOf, mapWords } from './node-words.ts';

const node = (hostname: string, share: (number | null)[]) => ({
  hostname,
  capacity: 4,
  runners: 1,
  attempts: 2,
  share,
});
const use = (...nodes: NodeUse['nodes']): NodeUse => ({ measure: 'cpu', bin_seconds: 1, nodes, nodes_left_out: 0 });

it('the mean of a node leaves out the time without a runner, and its most names the first such part', () => {
  const [one] = mappedNodesOf(use(node('c1', [null, 0.5, 1, 1, 0])));
  expect(one).toMatchObject({ mean: 62.5, most: { percent: 100, column: 2 }, cells: [undefined, 50, 100, 100, 0] });
});

it('the words of a map name the busiest node and those that no job asked for anything', () => {
  const nodes = mappedNodesOf(use(node('c1', [0.5, 0.5]), node('c2', [1, 0.5]), node('c3', [0, 0])));
  expect(mapWords(nodes, 'cpu')).toBe(
    'CPUs of 3 nodes, as running jobs asked for them: on average 42 % taken, most on c2 (75 %). 1 node had no job that asked for any.',
  );
  expect(mapWords(mappedNodesOf(use(node('c1', [0, 0]))), 'memory')).toBe(
    'Memory of 1 node, as running jobs asked for them: on average 0 % taken. None had a job that asked for any.',
  );
});
