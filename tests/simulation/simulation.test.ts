import { expect, it } from 'vitest';
import { isCi } from '../support/in-ci.ts';
import { simulate } from './scenario.ts';

/** Seeds of this run; more by hand: `TORC_SEEDS=10000 npx vitest run tests/simulation`, from `TORC_FIRST_SEED` on. */
const SEEDS = Number(process.env['TORC_SEEDS'] ?? (isCi ? 200 : 100));
const FIRST = Number(process.env['TORC_FIRST_SEED'] ?? 1);
/** Several seeds a test: a test each would cost more than the simulation. */
const TOGETHER = 100;
const PARTS = Array.from({ length: Math.ceil(SEEDS / TOGETHER) }, (_, part) => FIRST + part * TOGETHER);

it.each(PARTS)(
  'whatever network and crashes do, every job ends, none twice in an attempt, and none stays pending: 100 seeds from %d on',
  async (first) => {
    for (let seed = first; seed < Math.min(first + TOGETHER, FIRST + SEEDS); seed += 1) {
      const { faults, story } = await simulate(seed);
      expect(faults, `seed ${seed}\n${story.join('\n')}`).toEqual([]);
    }
  },
  600_000,
);
