import { describe, expect, it } from 'vitest';
import { type About, createHeldWorkflows, type Hold } from './held-workflows.ts';

const write = (workflowId: number | undefined, isCompatible = false) => ({
  about: { workflowId: () => workflowId, isCompatible } satisfies About,
});

describe('a workflow that is locked', () => {
  it.each<[Hold, boolean, boolean]>([
    ['whole', false, true],
    ['whole', true, true],
    ['releasing', false, true],
    ['releasing', true, false],
  ])('%s: a write (compatible with releasing: %s) waits: %s', (kind, isCompatible, waits) => {
    const held = createHeldWorkflows<ReturnType<typeof write>>();
    held.hold(1, kind);
    expect(held.park(write(1, isCompatible))).toBe(waits);
  });

  it('a workflow that is unlocked gives the writes that waited in their order, and the next write does not wait', () => {
    const held = createHeldWorkflows<ReturnType<typeof write>>();
    held.hold(1, 'whole');
    const waiting = [write(1), write(1)];
    for (const each of waiting) held.park(each);
    expect(held.release(1)).toEqual(waiting);
    expect(held.park(write(1))).toBe(false);
    expect(held.release(1)).toEqual([]);
  });

  it('the writes that wait stay when the lock changes its kind', () => {
    const held = createHeldWorkflows<ReturnType<typeof write>>();
    held.hold(1, 'whole');
    const waiting = write(1);
    held.park(waiting);
    held.hold(1, 'releasing');
    expect(held.release(1)).toEqual([waiting]);
  });

  it('a lock does not hold up writes to other workflows, or to none', () => {
    const held = createHeldWorkflows<ReturnType<typeof write>>();
    held.hold(1, 'whole');
    expect(held.park(write(2))).toBe(false);
    expect(held.park(write(undefined))).toBe(false);
  });
});
