import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import { nextCommand, type Place } from '../../core/lifecycle/next-command.ts';
import type { Runners } from '../live-runners.ts';
import { nextStep } from './shortfalls.ts';

/** A command as a person has to type it: with the options that reach the same server. */
export type Hint = (command: string) => string;

/** What a workflow is whose creation has not finished, and how to remove it. */
export const incompleteWords = (id: number, hint: Hint): string =>
  `is incomplete: its creation is in progress or was interrupted. If it was interrupted, remove it: ${hint(`torc delete ${id}`)}`;

/** Whether a runner works on it, and the command that goes on. */
export function nextLines(found: WorkflowStatus, { live, lost }: Runners, hint: Hint, place: Place): string[] {
  const { jobs_by_status: counts, is_canceled: isCanceled, workflow_id: id } = found;
  if (found.is_being_created === true) return [`This workflow ${incompleteWords(id, hint)}`];
  if (found.is_complete) {
    const next = nextStep({ counts, ending: isCanceled ? 'canceled' : 'complete' });
    return next === undefined ? [] : [`${next.says}: ${hint(nextCommand(place, { again: next.flag, isCanceled }))}`];
  }
  if (live > 0 || found.active_scheduled_nodes + found.pending_scheduled_nodes > 0) return [];
  const who =
    lost.length === 0
      ? 'No runner works on this workflow'
      : `No runner works on this workflow: ${lost.length === 1 ? `compute node ${lost[0]} has` : `compute nodes ${lost.join(', ')} have`} ended without reporting it`;
  return [`${who}. To start one: ${hint(nextCommand(place))}`];
}
