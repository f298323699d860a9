import { expect, it } from 'vitest';
import { HelperFailed } from '../helper-failed.ts';
import { whileAway } from './away.ts';

const away = new HelperFailed('squeue: it ended with exit code 1', {
  stderr: 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)',
});
const unknown = new HelperFailed('squeue: it ended with exit code 1', { stderr: 'Invalid job id specified' });

/** Answers that fail with these errors, and the pauses between them. */
function asking(...failures: Error[]) {
  const pauses: number[] = [];
  const reported: string[] = [];
  const answer = whileAway(
    async () => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return 'answer';
    },
    { wait: async (ms) => void pauses.push(ms), onAway: (words) => reported.push(words) },
  );
  return { answer, pauses, reported };
}

it('a controller that is away is asked again, and this is said once', async () => {
  const { answer, pauses, reported } = asking(away, away, new HelperFailed('killed', { isLate: true }));
  expect(await answer).toBe('answer');
  expect([pauses.length, reported]).toEqual([3, [away.message]]);
});

it('any other failure is final, and so is a controller that stays away for five minutes', async () => {
  const refused = asking(away, unknown);
  await expect(refused.answer).rejects.toBe(unknown);
  expect(refused.pauses).toHaveLength(1);
  const gone = asking(...Array.from({ length: 100 }, () => away));
  await expect(gone.answer).rejects.toBe(away);
  expect(gone.pauses.reduce((sum, ms) => sum + ms, 0)).toBe(295_000);
});
