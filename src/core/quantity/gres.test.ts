import { expect, test } from 'vitest';
import { parseGres } from './gres.ts';

test.each([
  ['gpu:4', { count: 4 }],
  ['gpu:a100:2', { count: 2, type: 'a100' }],
  ['gpu:h100:2(S:0-3)', { count: 2, type: 'h100' }],
  ['gpu:4(S:0,2),nvme:1', { count: 4 }],
  ['nvme:1,gpu:4', { count: 4 }],
  ['nvme:4,gpu:2', { count: 2 }],
  ['gpu:1,gpu:2', { count: 1 }],
])('%s grants the GPUs %o', (text, gpus) => expect(parseGres(text)).toEqual(gpus));

test.each([
  ['gpu', { count: 0 }],
  ['gpu:x', { count: 0, type: 'x' }],
])('%s names GPUs without a number, which counts as 0', (text, gpus) => expect(parseGres(text)).toEqual(gpus));

test.each(['', '(null)', 'nvme:1', 'none'])('"%s" names no GPUs', (text) => expect(parseGres(text)).toBeUndefined());
