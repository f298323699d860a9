import { expect, it } from 'vitest';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { causeOf } from './attempt.ts';

const GIB = 2 ** 30;
const job = { id: 1, need: { memory_bytes: GIB } } as ClaimedJob;
const SIGKILL = 9;

it('a killed attempt failed for memory if its peak is above what its job needs, and for no known cause otherwise', () => {
  const killed = { signal: SIGKILL, endedBy: undefined };
  expect(causeOf({ job, endedFor: undefined }, killed, GIB + 1)).toBe('memory');
  expect(causeOf({ job, endedFor: undefined }, killed, GIB)).toBeUndefined();
});

it('the cause of a preempted attempt is its node, whatever its memory', () => {
  expect(causeOf({ job, endedFor: undefined, isPreempted: true }, { signal: SIGKILL }, GIB + 1)).toBe('node');
});
