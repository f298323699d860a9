import type { JobStatusCounts } from '../../core/contract/job.ts';
import { exactPartText, outcomeParts } from '../../core/lifecycle/explain/outcome.ts';
import { countOf, FAILED, HELD, WAITS } from '../../core/job/statuses.ts';
import { counted, someOf } from '../../core/quantity/count-text.ts';
import type { AttemptHolder } from '../../operations/run/begin-run.ts';
import type { InitializeNews } from '../../operations/run/initialize.ts';
import type { Prepared } from '../../operations/run/run.ts';
import type { Output } from './output.ts';
import { changedText, choiceRecord, heldText, sayLookedAt } from './reruns.ts';

/** Prints what happens while a workflow is prepared for a run. */
export const reportPreparation =
  (output: Output) =>
  (news: InitializeNews): void => {
    if (news.kind === 'waits for attempts') output.notice(waitingWords(news.holders));
    else if (news.kind === 'recovery warning') output.warn(news.message);
    else
      output.warn(
        `${counted(news.paths.length, 'output file')} already exist and will be overwritten: ${someOf(news.paths)}`,
      );
  };

function waitingWords(holders: readonly AttemptHolder[]): string {
  const attempts = holders.reduce((sum, each) => sum + each.attempts, 0);
  const where = holders.map(({ hostname, compute_node_id: id }) => `${hostname} (compute node ${id})`);
  return `Waiting for ${counted(attempts, 'attempt')} of earlier jobs to end on ${where.join(', ')}`;
}

/** Prints what was made ready; each killed runner was reported when it was recovered. */
export function reportPrepared(output: Output, workflowId: number, prepared: Prepared, retriesFailed: boolean): void {
  switch (prepared.kind) {
    case 'nothing':
      return output.notice(nothingWords(prepared.counts, retriesFailed));
    case 'resumed':
      return output.notice(
        `Resumed workflow ${workflowId} as run ${prepared.runId}: ${resumedWords(prepared.before, prepared.after)}`,
      );
    case 'changed':
      output.notice(changedText(prepared.run, { what: 'runs', width: output.messageWidth }).join('\n'));
      return output.jsonLine({ workflow_id: workflowId, reruns: prepared.run });
    case 'chosen':
      if (prepared.run.length > 0)
        output.notice(changedText(prepared.run, { what: 'chosen', width: output.messageWidth }).join('\n'));
      if (prepared.held.length > 0) output.warn(heldText(prepared.held));
      return output.jsonLine({ workflow_id: workflowId, reruns: prepared.run, ...choiceRecord(prepared.choice) });
    case 'not looked':
    case 'up to date':
      return sayLookedAt(output, prepared);
    case 'out of date':
      return output.jsonLine({ workflow_id: workflowId, out_of_date: prepared.run });
    case 'agreed':
    case 'initialized':
    case 'recovered':
    case 'as it was':
  }
}

function nothingWords(counts: JobStatusCounts, retriesFailed: boolean): string {
  if (retriesFailed) return 'No job failed or was interrupted.';
  const bad = countOf(counts, FAILED);
  return bad === 0
    ? 'No job was interrupted.'
    : `No job was interrupted; ${counted(bad, 'job')} failed: --retry-failed runs ${bad === 1 ? 'it' : 'them'} again.`;
}

/** `5 jobs to run again, 3 jobs left, 4 completed`. */
function resumedWords(before: JobStatusCounts, after: JobStatusCounts): string {
  const open = countOf(after, WAITS, HELD);
  const again = Math.max(0, open - countOf(before, WAITS, HELD));
  const left = open - again;
  const ended = outcomeParts(after).filter(({ word }) => word !== 'running' && word !== 'not run');
  return [
    `${counted(again, 'job')} to run again`,
    ...(left > 0 ? [`${counted(left, 'job')} not yet run`] : []),
    ...ended.map(exactPartText),
  ].join(', ');
}
