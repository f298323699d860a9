import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../tests/support/programs.ts';
import type { RecordedJobs, EndedStep } from '../../../cluster/batch/batch-system.ts';
import { markFolderOf } from '../../../core/attempt/step-mark.ts';
import { accountOfLeft, leftEndOf, leftStepsOf, removeMarks } from './left-steps.ts';

const step = (state: string): EndedStep => ({
  slurmJobId: 7,
  state,
  exitCode: 0,
  signal: 0,
  seconds: 9,
  endedAtMs: new Date('2026-03-01T12:30:00').getTime(),
  maxRssBytes: 5,
});
const account = (steps: Record<string, EndedStep>): RecordedJobs => ({
  jobs: new Map(),
  steps: new Map(Object.entries(steps)),
  batchEnds: new Map(),
});

/** The marks that a runner of allocation 7 left. */
function left(marks: Record<string, string>) {
  const folder = temporaryFolder();
  const own = join(folder, markFolderOf(1, 7, 99_999_999));
  mkdirSync(own);
  mkdirSync(join(folder, markFolderOf(1, 70, 99_999_999)));
  for (const [id, text] of Object.entries(marks)) writeFileSync(join(own, id), text);
  return { steps: leftStepsOf(new Set([folder]), 1, 7), own };
}

const CODES = { memory: 137, time: 152 };

it('the ends of steps are proven by their marks and the accounting of their allocation together', () => {
  const { steps } = left({
    done: 'began\nended 0 4\n',
    asked: 'began\nTERM 2\nended 0 2\n',
    canceled: 'began\nended 0 2\n',
    runs: 'began\n',
  });
  const reported = account({
    done: step('COMPLETED'),
    asked: step('COMPLETED'),
    canceled: step('CANCELLED'),
    elsewhere: { ...step('COMPLETED'), slurmJobId: 8 },
  });
  const ends = ['done', 'asked', 'canceled', 'runs', 'elsewhere', 'never'].map(
    (id) => leftEndOf(steps, id, reported, CODES)?.status,
  );
  expect(ends).toEqual(['completed', undefined, undefined, undefined, undefined, undefined]);
  expect(leftEndOf(steps, 'done', reported, CODES)).toMatchObject({ returnCode: 0, seconds: 4, maxRssBytes: 5 });
});

it('the accounting is asked again until it has the step whose mark says that it ended by itself', async () => {
  const { steps } = left({ done: 'began\nended 0 4\n' });
  const answers = [account({}), account({ done: step('COMPLETED') })];
  const asked = await accountOfLeft({ account: async () => answers.shift() }, [steps], [7]);
  expect([asked?.steps.has('done'), answers.length]).toEqual([true, 0]);
});

it('the accounting is asked once if no mark waits for it', async () => {
  const { steps } = left({ asked: 'began\nTERM 2\nended 143 2\n' });
  let asked = 0;
  await accountOfLeft({ account: async () => ((asked += 1), account({})) }, [steps], [7]);
  expect(asked).toBe(1);
});

it('marks of a runner whose steps have been reported are removed, and those of another allocation stay', () => {
  const { steps, own } = left({ done: 'began\nended 0 4\n' });
  removeMarks(steps);
  expect([existsSync(own), existsSync(own.replace('_sl7_', '_sl70_'))]).toEqual([false, true]);
});
