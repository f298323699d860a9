import { expect, test } from 'vitest';
import { amountsOf } from './tres.ts';

test.each([
  ['cpu=4,mem=16G,node=2,gres/gpu=2,billing=4', 2],
  ['cpu=4,gres/gpu:volta=2', 2],
  ['cpu=4,gres/gpu:volta=2,gres/gpu:a100=1', 3],
  ['gres/gpu=2,gres/gpu:volta=2', 2],
  ['cpu=4,gres/gpumem=5', 0],
  ['gres/gpu:volta=x', 0],
  ['', 0],
])('%s has %d cards', (words, cards) => expect(amountsOf(words, 1).gpu).toBe(cards));
