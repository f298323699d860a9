import { attemptsOf } from '../../attempt/history.ts';
import { explainEnd } from './explain-end.ts';
import { explainWait } from './explain-wait.ts';
import { REPORTED } from '../../job/statuses.ts';
import { anywhere, nextCommand } from './next-command.ts';
import type { Explanation, JobFacts, WholeExplanation } from './job-facts.ts';

/**
 * Explains why a job waits or why it ended with its status, from facts alone, with its attempts: sentences for users and codes for
 * programs.
 */
export const explain = (job: JobFacts): WholeExplanation => ({
  ...explanationOf(job),
  attempts: attemptsOf({ ...job, run: job.workflow.run }),
});

function explanationOf(job: JobFacts): Explanation {
  if (REPORTED.has(job.status)) return explainEnd(job);
  if (job.status !== 'running') return explainWait(job);
  if (job.isLost === true) return lost(job);
  const headline = `runs on ${job.runningOn ?? 'a runner'} since ${job.startedAt ?? 'a moment'}, attempt ${job.attempt}`;
  return { kind: 'runs', headline, reasons: [], next: [] };
}

/** Its record says that it runs, and no runner watches it any more. */
function lost({ runningOn = 'its host', startedAt = 'a moment', attempt, workflow }: JobFacts): Explanation {
  const place = workflow.place ?? anywhere(workflow.id);
  return {
    kind: 'runs',
    headline: `is lost: its runner on ${runningOn} has ended without reporting it`,
    reasons: [
      { code: 'runner_lost', message: `attempt ${attempt} ran since ${startedAt}; no runner watches it any more` },
    ],
    next: [`take it back: ${nextCommand(place)}`],
  };
}
