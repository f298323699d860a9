import { expect, it, test } from 'vitest';
import * as fc from 'fast-check';
import { judgeRound, MOST_LOSSES, NO_ROUNDS, type NextRound, type RoundJudgement } from './futile-round.ts';

type Repeated = Parameters<typeof judgeRound>[1]['repeated'][number];

const ends = {
  itself: { id: 1, why: 'exit', returnCode: 1, origin: 'itself' },
  loss: { id: 1, why: 'lost', returnCode: -128, origin: 'loss' },
  outside: { id: 1, why: 'allocation', returnCode: 143, origin: 'outside' },
} as const satisfies Record<string, Repeated>;

/** The judgements of rounds, one after the other. */
function judged(...rounds: readonly NextRound<Repeated>[]): RoundJudgement<Repeated>[] {
  let before = NO_ROUNDS;
  return rounds.map((round) => {
    const judgement = judgeRound(before, round);
    before = judgement.rounds;
    return judgement;
  });
}
const last = (...rounds: readonly NextRound<Repeated>[]) => judged(...rounds).at(-1) as RoundJudgement<Repeated>;
const round = (completed: number, ...repeated: readonly Repeated[]) => ({ completed, raised: 0, repeated });
const times = <T>(count: number, each: T): T[] => Array.from({ length: count }, () => each);

it('a round is futile in which the same jobs failed by themselves as in the one before, and not in one that differs', () => {
  const { itself } = ends;
  expect(last(round(2, itself), round(2, itself)).isFutile).toBe(true);
  expect(last(round(2, itself)).isFutile).toBe(false);
  expect(last(round(2, itself), round(3, itself)).isFutile).toBe(false);
  expect(last(round(2, itself), { ...round(2, itself), raised: 1 }).isFutile).toBe(false);
  expect(last(round(2, itself), round(2, { ...itself, returnCode: 2 })).isFutile).toBe(false);
  expect(last(round(2, itself), round(2, itself, { ...itself, id: 2 })).isFutile).toBe(false);
  expect(last(round(2), round(2)).isFutile).toBe(false);
});

it('a job that was lost five times in a row while others completed is left, and one beside which none completed is not', () => {
  const { loss } = ends;
  expect(last(...times(MOST_LOSSES, round(2, loss))).left).toEqual([loss]);
  expect(last(...times(MOST_LOSSES - 1, round(2, loss))).left).toEqual([]);
  expect(last(...times(10, round(0, loss))).left).toEqual([]);
  // Those that completed before its first loss did not run beside it.
  expect(last(round(2, { ...ends.itself, id: 2 }), ...times(10, round(2, loss))).left).toEqual([]);
});

it('losses of a job are in a row with a preemption or a round without it between them, and not with a failure of its own', () => {
  const { loss, outside, itself } = ends;
  const four = times(4, round(2, loss));
  expect(last(...four, round(2, outside), round(2), round(2, loss)).left).toEqual([loss]);
  expect(last(...four, round(2, itself), round(2, loss)).left).toEqual([]);
});

test('whatever else is met, a round with a job that was ended from outside is never futile, and that job is never left', () => {
  const some = fc.record({
    id: fc.integer({ min: 1, max: 3 }),
    why: fc.constantFrom('exit', 'lost', 'allocation'),
    returnCode: fc.constantFrom(1, -128, 143),
    origin: fc.constantFrom('itself', 'loss', 'outside'),
  }) satisfies fc.Arbitrary<Repeated>;
  const rounds = fc.array(
    fc.record({ completed: fc.nat(2), raised: fc.nat(1), repeated: fc.array(some, { maxLength: 3 }) }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(rounds, (all) => {
      const judgements = judged(
        ...all.map((each) => ({ ...each, repeated: [...each.repeated, { ...ends.outside, id: 9 }] })),
      );
      expect(judgements.filter(({ isFutile, left }) => isFutile || left.some(({ id }) => id === 9))).toEqual([]);
    }),
  );
});
