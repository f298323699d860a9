import { describe, expect, it } from 'vitest';
import { aheadWanted } from './turns.ts';

const now = { most: 0, slots: 2, ahead: 0, after: [3, 4], held: undefined };

describe('the claim ahead of an exchange', () => {
  it('a runner that knows nothing of its jobs claims a few ahead, after the jobs that the server named', () => {
    expect(aheadWanted(now)).toEqual({ limit: 8, after: [3, 4] });
  });

  it('a runner claims as many ahead as it has slots, or as its rate asks for', () => {
    expect(aheadWanted({ ...now, slots: 20 })?.limit).toBe(20);
    expect(aheadWanted({ ...now, slots: 20, most: 64 })?.limit).toBe(64);
  });

  it('claims ahead are renewed when half of them are used up, and not before', () => {
    expect(aheadWanted({ ...now, ahead: 5 })).toBeUndefined();
    expect(aheadWanted({ ...now, ahead: 4 })?.limit).toBe(4);
  });

  it('after a lost answer the jobs that it holds are looked at again, not more than a reply may name', () => {
    const held = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(aheadWanted({ ...now, held })?.after).toEqual(held.slice(0, 64));
  });
});
