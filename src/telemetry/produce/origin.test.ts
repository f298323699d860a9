import { expect, test } from 'vitest';
import { nodeNameOf } from './origin.ts';

test.each([
  ['n1', {}, 'n1'],
  ['n1.cluster.org', {}, 'n1.cluster.org'],
  ['n1.', {}, 'n1'],
  ['n1.cluster.org.', { SLURMD_NODENAME: 'other' }, 'n1.cluster.org'],
  ['(none)', {}, undefined],
  ['', {}, undefined],
  ['(none)', { SLURMD_NODENAME: 'n7' }, 'n7'],
])('a machine whose host name is %j, with %j, is the node %j', (given, environment, name) => {
  expect(nodeNameOf(given, environment)).toBe(name);
});
