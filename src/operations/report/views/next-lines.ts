import type { JobStatusCounts } from '../../../core/contract/job.ts';
import type { WorkflowStatus } from '../../../core/contract/workflow.ts';
import { outcomeOf } from '../../../core/lifecycle/explain/outcome.ts';
import { nextCommand, type RunPlace } from '../../../core/lifecycle/explain/next-command.ts';
import { isSize } from '../../../core/lifecycle/explain/too-wide.ts';
import type { StatusFacts } from '../facts/status-facts.ts';
import { nextStep } from './shortfalls.ts';

/** A command as a person has to type it: with the options that reach the same server. */
export type Hint = (command: string) => string;

/** What a workflow is whose creation has not finished, and how to remove it. */
export const incompleteWords = (id: number, hint: Hint): string =>
  `is incomplete: its creation is in progress or was interrupted. If it was interrupted, remove it: ${hint(`torc delete ${id}`)}`;

type Facts = Pick<StatusFacts, 'status' | 'runners' | 'place'> & Partial<Pick<StatusFacts, 'unclaimable' | 'imported'>>;

/** Whether a runner works on it, and the command that goes on. */
export function nextLines({ status: found, runners, place, unclaimable, imported }: Facts, hint: Hint): string[] {
  const { live, lost } = runners;
  const { jobs_by_status: counts, is_canceled: isCanceled, workflow_id: id } = found;
  if (found.is_being_created === true) return [`This workflow ${incompleteWords(id, hint)}`];
  const isAlive = live > 0 || found.active_scheduled_nodes + found.pending_scheduled_nodes > 0;
  if (found.is_complete) {
    const next = nextStep({ counts, ending: isCanceled ? 'canceled' : 'complete' });
    return next === undefined
      ? []
      : [`${next.says}: ${hint(nextCommand(place, { again: next.flag, isCanceled, isAlive }))}`];
  }
  if (isAlive) return [];
  if (imported !== undefined) return [`To run its jobs here: ${hint(nextCommand(place))}`];
  const who =
    lost.length === 0
      ? 'No runner works on this workflow'
      : `No runner works on this workflow: ${lost.length === 1 ? `compute node ${lost[0]} has` : `compute nodes ${lost.join(', ')} have`} ended without reporting it`;
  const wide = tooWideFor(found, place, unclaimable);
  if (wide !== undefined)
    return [`${who}, and one like the last could take none of its ready jobs: ${hint(`torc jobs explain ${wide}`)}`];
  // Jobs of allocations are made ready by their recovery.
  return place.runsIn === 'anywhere' && wasStopped(counts)
    ? [`${who}. To go on: ${hint(nextCommand(place, { again: '--resume' }))}`]
    : [`${who}. To start one: ${hint(nextCommand(place))}`];
}

/** Whether something stopped jobs, other than a job that they needed and that failed. */
function wasStopped(counts: JobStatusCounts): boolean {
  const { failed, stopped } = outcomeOf(counts);
  return stopped > 0 && (failed === 0 || counts.terminated > 0);
}

/** A job, if every ready one is larger than the machine of the last runner: to start another there does not help. */
function tooWideFor(
  { jobs_by_status: { ready } }: WorkflowStatus,
  { runsIn }: RunPlace,
  found: StatusFacts['unclaimable'],
): number | undefined {
  if (runsIn !== 'anywhere' || found === undefined || ready === 0 || found.unclaimable_jobs < ready) return undefined;
  return found.reasons.every(isSize) ? found.reasons[0]?.job_id : undefined;
}
