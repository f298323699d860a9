import { type SlurmJob, wholeJobs } from '../../../core/allocation/slurm-job.ts';
import type { WorkflowAction } from '../../../core/contract/scheduling.ts';
import type { Unclaimable } from '../../../core/contract/unclaimable.ts';
import type { WorkflowStatus } from '../../../core/contract/workflow.ts';
import { outcomeRecord, outcomeParts, partText } from '../../../core/lifecycle/explain/outcome.ts';
import { countOf, FAILED, UNSUCCESSFUL } from '../../../core/job/statuses.ts';
import { nextCommand } from '../../../core/lifecycle/explain/next-command.ts';
import { limitedJobsWords } from '../../../core/lifecycle/placement/waiting-limit.ts';
import { unclaimableWords } from '../../../core/lifecycle/placement/unclaimable.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { withShortWords } from '../../../core/quantity/short-words.ts';
import { timeText } from '../../../core/quantity/time-text.ts';
import type { PartlyIdle } from '../facts/idle-nodes.ts';
import type { StatusFacts } from '../facts/status-facts.ts';
import { type Hint, nextLines } from './next-lines.ts';
import { queueLines } from './queue-lines.ts';
import { type UnbegunAllocation, unbegunLines } from '../../submit/unbegun-allocations.ts';
import { shortfalls } from './shortfalls.ts';
import { stateOfStatus } from './workflow-state.ts';
import type { ScheduledComputeNode } from '../../../core/contract/allocation.ts';

/** The status of a workflow for programs. */
export function statusRecord(facts: StatusFacts) {
  const { status, unclaimable, interrupted, runners, idle, queued, unbegun, unsubmitted, retries } = facts;
  const { walltime_seconds: walltime, total_exec_time_minutes: minutes } = status;
  return {
    ...status,
    state: stateWord(facts),
    jobs_by_outcome: outcomeRecord(status.jobs_by_status),
    retries,
    total_exec_time_formatted: timeText(minutes * 60),
    ...(walltime === undefined || walltime === null ? {} : { walltime_formatted: timeText(walltime) }),
    unserved_ready_labels: status.unserved_ready_labels ?? {},
    unclaimable_ready_jobs: unclaimable?.unclaimable_jobs ?? 0,
    unclaimable_reasons: unclaimable?.reasons ?? [],
    interrupted_actions: interrupted.map((each) => each.id),
    live_runners: runners.live,
    lost_compute_nodes: runners.lost,
    ...(idle.length === 0 ? {} : { idle_nodes: idle }),
    ...(facts.waits.length === 0 ? {} : { machine_waits: facts.waits }),
    ...(unsubmitted.length === 0 ? {} : { unsubmitted_allocations: unsubmittedBy(unsubmitted) }),
    ...(unbegun.length === 0 ? {} : { unbegun_allocations: unbegun.map(unbegunRecord) }),
    ...(queued.length === 0
      ? {}
      : {
          queued_allocations: queued.map(({ slurmJobId, reason, hasEnded }) => ({
            ...queuedIds(slurmJobId),
            reason,
            has_ended: hasEnded,
          })),
        }),
  };
}

const unbegunRecord = ({ slurmJobId, end, file, lines }: UnbegunAllocation) => ({
  ...queuedIds(slurmJobId),
  end,
  output_file: file,
  last_lines: lines,
});

/** The id is a number in every format; a task of an array is named by both. */
const queuedIds = (job: SlurmJob) =>
  typeof job === 'number'
    ? { slurm_job_id: job }
    : { slurm_job_id: wholeJobs([job])[0], array_task_id: Number(job.split('_')[1]) };

/** The status of a workflow for people: its counts, those of its families if they are given, and what keeps its jobs from running. */
export const statusLines = (facts: StatusFacts, hint: Hint, families: readonly string[] = []): string[] => [
  ...countLines(facts, families),
  ...obstacleLines(facts, hint),
];

/** What keeps the jobs of a workflow from running, and the commands that change it. Empty lines separate its parts. */
export const obstacleLines = (facts: StatusFacts, hint: Hint): string[] => {
  const { status, unclaimable, interrupted, idle, queued, unbegun, unsubmitted, runners, waits } = facts;
  const { workflow_id: id } = status;
  return [
    ...(unsubmitted.length > 0 ? [] : nextLines(facts, hint)),
    ...unsubmittedLines(unsubmitted, id, hint),
    ...queueLines({ queued, id, working: runners.live + status.active_scheduled_nodes }, hint),
    ...unbegunLines(unbegun),
    ...heldLines(status),
    ...waits.map((words) => `A run on this machine ${words}`),
    ...unclaimableLines(unclaimable),
    ...limitLines(status),
    ...idleLines(idle),
    ...interruptedLines(interrupted),
  ];
};

/** Ready jobs whose labels no runner has, and the command that starts one that has them. */
export const unservedLabelLines = ({ status, place }: StatusFacts, hint: Hint): string[] =>
  Object.entries(status.unserved_ready_labels ?? {}).map(
    ([labels, jobs]) =>
      `${counted(jobs, 'ready job needs', 'ready jobs need')} a runner with the labels ${labels}: ${hint(nextCommand(place, { labels: labels.split(',') }))}`,
  );

/** Which ready jobs no runner can take, and why. */
function unclaimableLines(found: Unclaimable | undefined): string[] {
  if (found === undefined || found.unclaimable_jobs === 0) return [];
  const who = found.compute_node_ids.length === 1 ? 'the runner' : `any of ${found.compute_node_ids.length} runners`;
  return [
    '',
    `No runner can take these jobs; checked for ${who} (${found.compute_node_ids.join(', ')}):`,
    ...found.reasons.map((each) => `  ${unclaimableWords(each)}`),
  ];
}

/** What ready jobs wait for until other jobs have ended. */
const limitLines = ({ waiting_limits: limits, workflow_id: id }: WorkflowStatus): string[] =>
  (limits ?? []).length === 0 ? [] : ['', ...(limits ?? []).map((each) => limitedJobsWords(each, id))];

/** Nodes of allocations on which no runner starts jobs. */
const idleLines = (idle: readonly PartlyIdle[]): string[] =>
  idle.map(
    ({ slurm_job_id: job, nodes, idle_nodes: count }) =>
      `Allocation ${job} has ${nodes} nodes, and ${count === 1 ? 'one is' : `${count} are`} idle: start a runner on each (start_one_worker_per_node), or use mode: slurm`,
  );

/** Attempts whose jobs wait for them to end. */
function heldLines({ held_attempts: holders }: WorkflowStatus): string[] {
  if (holders === undefined || holders === null) return [];
  return [
    '',
    'Attempts of canceled or reset jobs that have not ended; their jobs start after them:',
    ...holders.map(
      ({ compute_node_id: id, hostname, attempts }) => `  ${attempts} on ${hostname} (compute node ${id})`,
    ),
  ];
}

/** Actions whose runner was lost while their commands ran: a user has to check their progress. */
function interruptedLines(actions: readonly WorkflowAction[]): string[] {
  if (actions.length === 0) return [];
  return [
    '',
    'Interrupted actions (their runner was lost, and they do not run again):',
    ...actions.map(({ id, trigger_type: trigger, action_type: type }) => `  ${id}: ${type} ${trigger}`),
  ];
}

/** The state of the workflow, with runners and allocations that work for it or will. */
const stateWord = ({ status, runners, imported }: StatusFacts) =>
  stateOfStatus(status, runners.live + status.active_scheduled_nodes + status.pending_scheduled_nodes, imported);

/** How far the workflow is, in one line; none if nothing works on it, which is what the next lines say. */
function stateLines(facts: StatusFacts): string[] {
  const { status, imported } = facts;
  const state = stateWord(facts);
  if (imported !== undefined && !status.is_canceled) {
    const all = imported.completed === 1 ? 'its job had completed' : `all ${imported.completed} jobs had completed`;
    return state === 'finished'
      ? [`✓ Workflow complete, imported with its results: ${all} on another server`]
      : [
          `○ Workflow imported with its results: ${imported.completed} of ${counted(status.total_jobs, 'job')} had completed`,
        ];
  }
  return status.is_complete || state === 'running' ? [stateLine(status)] : [];
}

/** The same of a workflow that has ended or on which runners work. */
export function stateLine({ is_complete: isComplete, is_canceled: isCanceled, ...found }: WorkflowStatus): string {
  const counts = found.jobs_by_status;
  if (isCanceled) return '✗ Workflow canceled';
  if (!isComplete) return '◷ Workflow in progress...';
  if (found.total_jobs === 0) return '○ Workflow without jobs';
  if (countOf(counts, UNSUCCESSFUL) === 0) return '✓ Workflow complete';
  // A stop is none of the failures: the workflow goes on where it was.
  return countOf(counts, FAILED) === 0
    ? `◷ Workflow complete, stopped (${outcomeParts(counts).map(partText).join(', ')})`
    : `✗ Workflow complete with failures (${shortfalls({ counts, ending: 'complete' }).join(', ')})`;
}

/** Whether no job of a workflow that has ended did so badly. */
export const isSuccess = ({ is_canceled: isCanceled, jobs_by_status: jobs }: WorkflowStatus): boolean =>
  !isCanceled && countOf(jobs, UNSUCCESSFUL) === 0;

function countLines(facts: StatusFacts, families: readonly string[]): string[] {
  const { status: found, retries } = facts;
  const counts = Object.entries(found.jobs_by_status).filter(([, jobs]) => jobs > 0);
  const parts = outcomeParts(found.jobs_by_status).map(partText);
  return [
    'Workflow Summary',
    `  Workflow ID: ${found.workflow_id}`,
    `  Name: ${withShortWords(found.workflow_name)}`,
    `  User: ${found.workflow_user}`,
    ...(found.run_id === undefined || found.run_id === null ? [] : [`  Run: ${found.run_id}`]),
    `  State: ${stateWord(facts)}`,
    ...(parts.length === 0 ? [] : [`  Jobs: ${parts.join(', ')}`]),
    '',
    `Job Status (total: ${found.total_jobs}):`,
    ...counts.map(([name, jobs]) => `  ${name}: ${jobs}`),
    '',
    ...(families.length === 0 ? [] : ['Job Families:', ...families.map((line) => `  ${line}`.trimEnd()), '']),
    ...(retries === 0 ? [] : [`Retries: ${retries}`, '']),
    `Total Execution Time: ${timeText(found.total_exec_time_minutes * 60)}`,
    ...(found.walltime_seconds === undefined || found.walltime_seconds === null
      ? []
      : [`Walltime: ${timeText(found.walltime_seconds)}`]),
    '',
    'Compute Resources:',
    `  Active compute nodes: ${found.active_compute_nodes}`,
    ...(found.pending_scheduled_nodes + found.active_scheduled_nodes === 0
      ? []
      : [`  Allocations: ${found.active_scheduled_nodes} active, ${found.pending_scheduled_nodes} pending`]),
    '',
    ...stateLines(facts),
  ];
}

/** Allocations that are planned and not submitted, by what holds them back; undefined for those of an interrupted command. */
const unsubmittedBy = (allocations: readonly Pick<ScheduledComputeNode, 'held'>[]) =>
  [...Map.groupBy(allocations, ({ held }) => held ?? undefined)].map(([held, those]) => ({
    held,
    allocations: those.length,
  }));

/** How many allocations are not submitted yet, why, and what goes on. */
export function unsubmittedLines(
  allocations: readonly Pick<ScheduledComputeNode, 'held'>[],
  id: number,
  hint: Hint,
): string[] {
  const submit = hint(`torc submit ${id}`);
  return unsubmittedBy(allocations).map(({ held, allocations: count }) => {
    const one = count === 1;
    const what = `${counted(count, 'allocation')} ${one ? 'is' : 'are'} not submitted yet`;
    if (held === undefined) return `${what}: ${submit} completes ${one ? 'it' : 'them'}`;
    if (held.startsWith('paused')) return `${what} (${held}). To go on after a repair: ${submit}`;
    return `${what} (${held}): ${one ? 'it follows' : 'they follow'} as others start or end, or with ${submit}`;
  });
}
