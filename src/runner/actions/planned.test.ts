import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Refusal } from '../../core/contract/refusals.ts';
import { startPlannedSubmissions } from './planned.ts';

const busy = () => new Refusal('RECOVERY_ACTIVE', 'torc submit has the lease');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A runner whose calls end like this, one after the other. */
function runner(...answers: (number | Error)[]) {
  const log: string[] = [];
  let calls = 0;
  const scheduling = {
    async submitPlanned() {
      const answer = answers[calls] ?? 0;
      calls += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const planned = startPlannedSubmissions(scheduling, {
    write: (level, words) => void log.push(`${level} ${words}`),
    close: () => {},
  });
  return { planned, log, calls: () => calls };
}

it('a runner that begins submits what is planned, and says how much it was', async () => {
  const { log } = runner(3);
  await vi.advanceTimersByTimeAsync(0);
  expect(log).toEqual(['info Planned allocations were submitted']);
});

it('a runner tries again while another command submits, until it has ended', async () => {
  const { log, calls } = runner(busy(), busy(), 0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([calls(), log]).toEqual([3, []]);
});

it('a runner that ends does not wait for another command', async () => {
  const { planned, calls } = runner(busy(), 5);
  await vi.advanceTimersByTimeAsync(0);
  planned.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls()).toBe(1);
});

it('a failure to submit is a warning, and is not repeated', async () => {
  const { log, calls } = runner(new Error('sbatch: error'), 5);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([calls(), log]).toEqual([1, ['warn Planned allocations could not be submitted']]);
});
