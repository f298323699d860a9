import { describe, expect, it } from 'vitest';
import { createRefusals } from './refusals.ts';

const REASON = 'srun: error: Invalid generic resource (gres) specification';

describe('steps that are refused', () => {
  it('steps that are refused end a runner when all were refused for too many rounds', () => {
    const refusals = createRefusals(3);
    const reported = [1, 2, 3].map(() => {
      const reason = refusals.refused(REASON);
      refusals.nextRound();
      return reason;
    });
    expect(reported).toEqual([
      undefined,
      undefined,
      `every step was refused in 3 rounds of starts, the last one with: ${REASON}`,
    ]);
  });

  it('steps that are refused count once when they were started together', () => {
    const refusals = createRefusals(3);
    expect([1, 2, 3, 4, 5].map(() => refusals.refused(REASON))).toEqual(Array(5).fill(undefined));
  });

  it('steps that are refused are forgotten when a step starts', () => {
    const refusals = createRefusals(3);
    for (let round = 0; round < 10; round += 1) {
      expect(refusals.refused(REASON)).toBeUndefined();
      refusals.nextRound();
      if (round % 2 === 1) refusals.started();
    }
  });

  it('steps that are refused do not count while the controller is away', () => {
    const refusals = createRefusals(1);
    expect(refusals.refused('srun: error: Unable to contact slurm controller (connect failure)')).toBeUndefined();
    expect(refusals.refused(REASON)).toBeDefined();
  });
});
