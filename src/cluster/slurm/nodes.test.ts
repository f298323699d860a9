import { expect, test } from 'vitest';
import { cpusPerNode } from './nodes.ts';

test.each([
  ['4', [4]],
  ['72(x2),36', [72, 72, 36]],
  ['', undefined],
  ['4(x', undefined],
  ['4(x99999999999)', undefined],
  [undefined, undefined],
])('the CPUs of the nodes in %j are %j', (text, expected) => {
  expect(cpusPerNode(text)).toEqual(expected);
});
