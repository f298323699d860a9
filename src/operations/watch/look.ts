import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import { outcomeParts, partText } from '../../core/lifecycle/explain/outcome.ts';
import { countOf, FAILED, RECOVERABLE, UNSUCCESSFUL } from '../../core/job/statuses.ts';
import type { BatchReply } from '../orphans/find.ts';
import { alive, busy, waiting, withReasons } from './counts.ts';
import { mayBegin } from './idle.ts';
import type { Memory } from './memory.ts';
import { isExtraDue } from './schedule.ts';
import type { WatchOptions, WatchTools } from './tools.ts';

const CANCELED = 'The workflow was canceled';

/** The decision of one look at the workflow. */
export type Step = 'wait' | 'recover' | 'replace' | 'schedule' | { readonly exitCode: number };

/** Corrects the records of what has ended, and decides what a watch does next. */
export async function look(tools: WatchTools, options: WatchOptions, memory: Memory): Promise<Step> {
  let status = await tools.status();
  tools.showCounts(status);
  if (status.is_canceled) return ended(tools, CANCELED, 1);
  const aliveBefore = alive(status);
  // Work without a runner, and records of what may have ended: Slurm and the hosts are asked.
  if (aliveBefore > 0 || busy(status) > 0) {
    const runId = status.run_id ?? undefined;
    const { jobs, lost, replies } = await tools.clean();
    for (const reply of replies) reportReply(tools, memory, reply);
    memory.hasSeenRunning ||= jobs > 0;
    if (options.recovers && lost.length > 0) {
      memory.lost = [...memory.lost, ...lost];
      memory.lostInRun = runId;
    }
    status = await tools.status();
    // Meanwhile: it is complete then, though its jobs wait.
    if (status.is_canceled) return ended(tools, CANCELED, 1);
    // Another command has recovered it meanwhile, and has submitted what is missing.
    if ((status.run_id ?? undefined) !== memory.lostInRun) memory.lost = [];
  }
  const { jobs_by_status: jobs } = status;
  memory.hasSeenRunning ||= jobs.running > 0;
  const unsuccessful = countOf(jobs, UNSUCCESSFUL);
  if (status.is_complete || waiting(status) + busy(status) === 0) {
    if (countOf(jobs, RECOVERABLE) === 0)
      return ended(tools, `✓ Workflow completed successfully (${jobs.completed} jobs)`, 0);
    // Its runners leave within a few seconds.
    if (alive(status) > 0) return 'wait';
    for (const line of failureLines(status)) tools.report('info', line);
    await reportCauses(tools, memory);
    const isUndecided = unsuccessful === 0 && jobs.pending_failed > 0 && !options.asksAgent;
    if (isUndecided) return ended(tools, `${jobs.pending_failed} job(s) wait for a decision (pending_failed)`, 1);
    return options.recovers ? 'recover' : ended(tools, endWords(status), 1);
  }
  if (memory.mayBeUnfinished && waiting(status) > 0 && (await tools.isUnfinished())) return 'recover';
  memory.mayBeUnfinished = false;
  if (alive(status) + busy(status) > 0) {
    memory.idleSinceMs = undefined;
    if (waiting(status) === 0) memory.lost = [];
    if (memory.lost.length > 0) return 'replace';
    return (await isExtraDue(tools, options, memory)) ? 'schedule' : 'wait';
  }
  if (unsuccessful > 0) await reportCauses(tools, memory);
  const fruitless = await fruitlessWords(tools, options, memory);
  if (fruitless !== undefined) return ended(tools, fruitless, 1);
  if (options.recovers) return 'recover';
  if (options.autoSchedule !== undefined) return 'schedule';
  if (options.isPersistent || (await mayBegin(tools, memory, status))) return 'wait';
  await reportUnbegun(tools);
  const words = `${waiting(status)} job(s) wait, and nothing runs them: no runner is active, and no allocation is to come`;
  return ended(tools, withReasons(words, await tools.unrunnable()), 1);
}

/** Once when a program of the batch system does not answer, and once when it does again. */
function reportReply({ report }: WatchTools, { silent }: Memory, { program, fault }: BatchReply): void {
  if (fault === undefined) {
    if (silent.delete(program)) report('info', `${program} answers again`);
    return;
  }
  if (!silent.has(program)) report('warn', `${fault}; trying again`);
  silent.add(program);
}

async function reportUnbegun({ unbegun, report }: WatchTools): Promise<void> {
  for (const line of await unbegun()) report('warn', line);
}

async function reportCauses({ causes, report }: WatchTools, { reported }: Memory): Promise<void> {
  for (const line of await causes()) {
    if (!reported.has(line)) report('warn', line);
    reported.add(line);
  }
}

/** The lines of Torc 1.0.0; where nothing failed, it was stopped. */
const failureLines = ({ jobs_by_status: jobs }: WorkflowStatus): string[] => [
  countOf(jobs, FAILED) > 0 ? 'Workflow completed with failures:' : 'Workflow stopped:',
  `  - Failed: ${jobs.failed}`,
  `  - Canceled: ${jobs.canceled}`,
  `  - Terminated: ${jobs.terminated}`,
  ...(jobs.pending_failed === 0 ? [] : [`  - Pending Failed: ${jobs.pending_failed}`]),
  `  - Completed: ${jobs.completed}`,
];

/** `The workflow is complete: 1 failed, 3 stopped`; `The workflow was stopped: 2 completed, 4 stopped`. */
function endWords({ jobs_by_status: jobs }: WorkflowStatus): string {
  const parts = outcomeParts(jobs);
  const short = parts.filter(({ word }) => word !== 'completed').map(partText);
  return countOf(jobs, FAILED) > 0
    ? `The workflow is complete: ${short.join(', ')}`
    : `The workflow was stopped: ${parts.map(partText).join(', ')}`;
}

function ended({ report }: WatchTools, words: string, exitCode: number): Step {
  report(exitCode === 0 ? 'info' : 'error', words);
  return { exitCode };
}

/** Why it is useless to submit more: allocations have ended one after another, and no job started in them. */
async function fruitlessWords(
  tools: WatchTools,
  { maxFruitless }: WatchOptions,
  memory: Memory,
): Promise<string | undefined> {
  const { submitted, hasSeenRunning } = memory;
  if (submitted.length === 0) return undefined;
  // A controller that is killed forgets what was submitted just before: that counts once, whatever the number.
  memory.fruitless =
    hasSeenRunning || (await tools.hasStarted(submitted))
      ? 0
      : memory.fruitless + Math.max(1, await tools.begun(submitted));
  memory.submitted = [];
  memory.hasSeenRunning = false;
  if (maxFruitless === 0 || memory.fruitless < maxFruitless) return undefined;
  await reportUnbegun(tools);
  const words = `${memory.fruitless} allocation(s) in a row ended, and no job started in them (the last one is ${submitted.at(-1)})`;
  return withReasons(words, await tools.unrunnable());
}
