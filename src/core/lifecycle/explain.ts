import { explainEnd } from './explain-end.ts';
import { explainWait } from './explain-wait.ts';
import { REPORTED } from '../job/statuses.ts';
import { nextCommand, type Place } from './next-command.ts';
import type { Explanation, JobFacts } from './job-facts.ts';

/**
 * Explains why a job waits or why it ended with its status, from facts alone: sentences for users and codes for
 * programs.
 */
export function explain(job: JobFacts): Explanation {
  return withEarlier(withLostAttempts(explanationOf(job), job), job);
}

function explanationOf(job: JobFacts): Explanation {
  if (REPORTED.has(job.status)) return explainEnd(job);
  if (job.status !== 'running') return explainWait(job);
  if (job.isLost === true) return lost(job);
  const headline = `runs on ${job.runningOn ?? 'a runner'} since ${job.startedAt ?? 'a moment'}, attempt ${job.attempt}`;
  return { kind: 'runs', headline, reasons: [], next: [] };
}

/** Its record says that it runs, and no runner watches it any more. */
function lost({ runningOn = 'its host', startedAt = 'a moment', attempt, workflow }: JobFacts): Explanation {
  const place: Place = workflow.place ?? { workflowId: workflow.id, runsIn: 'anywhere', submission: 'none' };
  return {
    kind: 'runs',
    headline: `is lost: its runner on ${runningOn} has ended without reporting it`,
    reasons: [
      { code: 'runner_lost', message: `attempt ${attempt} ran since ${startedAt}; no runner watches it any more` },
    ],
    next: [`take it back: ${nextCommand(place)}`],
  };
}

/** Why a job runs again, and what its failure handler gave it. */
function withEarlier(explanation: Explanation, { earlier = [] }: JobFacts): Explanation {
  const reported = earlier.map(({ attempt, cause }) => ({
    code: 'earlier_attempt',
    message: `attempt ${attempt} ended: ${cause}`,
  }));
  return reported.length === 0 ? explanation : { ...explanation, reasons: [...explanation.reasons, ...reported] };
}

function withLostAttempts(explanation: Explanation, { attemptsWithoutResult: lost }: JobFacts): Explanation {
  if (lost.length === 0) return explanation;
  const which = lost.length === 1 ? `attempt ${lost[0]}` : `attempts ${lost.join(', ')}`;
  const message = `${which} left no result: the job was tried again, or its runner was lost`;
  return { ...explanation, reasons: [...explanation.reasons, { code: 'attempt_without_result', message }] };
}
