import { Refusal } from '../../core/contract/refusals.ts';
import { countOf, RECOVERABLE } from '../../core/job/statuses.ts';
import { judgeRound, MOST_LOSSES } from '../../core/lifecycle/recover/futile-round.ts';
import { attemptLine, fixesLines, noneLine, RESUMING } from '../../core/lifecycle/recover/recovery-lines.ts';
import type { BadEnd } from '../../core/lifecycle/recover/recovery-plan.ts';
import { alive, withReasons } from './counts.ts';
import type { Memory } from './memory.ts';
import { isRefusedForLong, refusedAgain } from './refused.ts';
import type { Decide, Round, WatchOptions, WatchTools } from './tools.ts';

/** One round of recovery; the exit code if it was the last. */
export async function round(
  tools: WatchTools,
  { maxRetries }: WatchOptions,
  memory: Memory,
): Promise<number | undefined> {
  if (maxRetries !== undefined && memory.rounds >= maxRetries) {
    tools.report(
      'error',
      `Max retries (${maxRetries}) exceeded. Manual intervention required: the workflow failed again after ${memory.rounds} recoveries, the maximum`,
    );
    return 1;
  }
  if (memory.refusal === undefined) tools.report('info', attemptLine(memory.rounds + 1, maxRetries));
  let done: Round | undefined;
  let { recovered } = memory;
  const decide: Decide = (next) => {
    const { isFutile, left, rounds } = judgeRound(memory.recovered, next);
    recovered = rounds;
    for (const job of left) tools.report('warn', leftWords(job));
    return { isFutile, leaves: new Set(left.map(({ id }) => id)) };
  };
  try {
    done = await tools.recover(decide);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const before = memory.refusal;
    memory.refusal = refusedAgain(before, error, tools.nowMs());
    if (memory.refusal.words !== before?.words) tools.report('warn', error.message);
    return error.code === 'HOOK_FAILED' || isRefusedForLong(memory.refusal) ? 1 : undefined;
  }
  memory.refusal = undefined;
  if (done === undefined) {
    tools.report('error', FUTILE);
    return 1;
  }
  // A round that was interrupted is no round: what it met is met again.
  memory.recovered = recovered;
  memory.reported.clear();
  memory.mayBeUnfinished = false;
  memory.rounds += 1;
  memory.submitted = done.submitted;
  memory.lost = [];
  memory.hasSeenRunning = false;
  // These had started.
  if (done.reset > 0) memory.fruitless = 0;
  const status = await tools.status();
  const { jobs_by_status: after, is_complete: isComplete } = status;
  // The results of all its jobs were found in journals or in the accounting.
  if (isComplete && countOf(after, RECOVERABLE) === 0) return undefined;
  for (const line of fixesLines(done.fixes)) tools.report('info', line);
  if (done.reset + done.waiting === 0) {
    tools.report('error', `${noneLine(done.fixes)} No job can be run again: every failure needs a person`);
    return 1;
  }
  tools.report(
    'info',
    `Recovery ${memory.rounds}: ${done.reset} job(s) reset, ${done.raised} requirement(s) raised, ${done.submitted.length} allocation(s) submitted`,
  );
  if (done.next !== undefined) {
    tools.report('error', `No allocation runs these jobs. Run them: ${done.next}`);
    return 1;
  }
  if (done.reset + done.submitted.length === 0) {
    // A recovery that was killed at its end had submitted them all.
    if (alive(status) > 0) return resume(tools);
    const words = `${done.waiting} job(s) wait, and no allocation could be submitted for them`;
    tools.report('error', withReasons(words, done.warnings));
    return 1;
  }
  return resume(tools);
}

const FUTILE =
  'The same jobs failed again for the same reasons, no other completed, and nothing was raised: the next round would be the same';

const leftWords = ({ id, name }: BadEnd): string =>
  `Job ${id} (${name}) is not run again: it was lost ${MOST_LOSSES} times in a row while other jobs completed, so it may end its runner or its node itself`;

function resume({ report }: WatchTools): undefined {
  report('info', RESUMING);
}
