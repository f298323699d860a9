import { type SlurmJob, wholeJobs } from '../../core/allocation/slurm-job.ts';
import type { WorkflowAction } from '../../core/contract/scheduling.ts';
import type { Unclaimable } from '../../core/contract/unclaimable.ts';
import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import { nextCommand, type Place } from '../../core/lifecycle/next-command.ts';
import { unclaimableWords } from '../../core/lifecycle/unclaimable.ts';
import { withShortWords } from '../../core/quantity/short-words.ts';
import type { PartlyIdle } from '../../operations/idle-nodes.ts';
import { chooseWorkflow } from '../choose-workflow.ts';
import { command } from '../command.ts';
import { nextLines } from '../output/next-lines.ts';
import { queueLines } from '../output/queue-lines.ts';
import { unsubmittedBy, unsubmittedLines } from '../output/unsubmitted-lines.ts';
import { secondsText } from '../output/words.ts';

const statusCommand = (words: 'status [workflow]' | 'workflows status [workflow]') =>
  command({
    words,
    says: 'Show the status of a workflow.',
    async run(context, [workflow]) {
      const id = await chooseWorkflow(context, workflow);
      const { client } = await context.service();
      const found = await client.getWorkflowStatus({ params: { id } });
      const { walltime_seconds: walltime, total_exec_time_minutes: minutes } = found;
      // Only if jobs wait, and not from a server without this route.
      const left =
        found.jobs_by_status.ready === 0
          ? undefined
          : await client.getUnclaimableJobs({ params: { id }, query: {} }).catch(() => undefined);
      const json = {
        ...found,
        total_exec_time_formatted: secondsText(minutes * 60),
        ...(walltime === undefined || walltime === null ? {} : { walltime_formatted: secondsText(walltime) }),
        unserved_ready_labels: found.unserved_ready_labels ?? {},
        unclaimable_ready_jobs: left?.unclaimable_jobs ?? 0,
        unclaimable_reasons: left?.reasons ?? [],
      };
      const actions = await client.listWorkflowActions({ params: { id } }).catch(() => []);
      const interrupted = actions.filter(({ state }) => state === 'interrupted');
      const { runnersOf } = await import('../../operations/live-runners.ts');
      const { placeOf } = await import('../../operations/place.ts');
      const place = await placeOf(client, id).catch(() => anywhere(id));
      const runners = await runnersOf(client, found);
      const { idleNodes } = await import('../../operations/idle-nodes.ts');
      const idle =
        found.active_compute_nodes === 0 || found.is_complete ? [] : await idleNodes(client, id).catch(() => []);
      const { queuedAllocations } = await import('../../operations/queued-allocations.ts');
      const queued =
        found.pending_scheduled_nodes === 0
          ? []
          : await queuedAllocations(client, id, context.environment).catch(() => []);
      const { unfinishedAllocations } = await import('../../operations/slurm/finish-submissions.ts');
      const unsubmitted = found.is_complete ? [] : await unfinishedAllocations(client, id).catch(() => []);
      const text = [
        statusText(found),
        ...(unsubmitted.length > 0 ? [] : nextLines(found, runners, context.hint, place)),
        ...unsubmittedLines(unsubmitted, id, context.hint),
        ...queueLines(queued, id, context.hint),
        ...heldLines(found),
        ...leftLines(left),
        ...idleLines(idle),
        ...interruptedLines(interrupted),
      ].join('\n');
      const more = {
        interrupted_actions: interrupted.map((each) => each.id),
        live_runners: runners.live,
        lost_compute_nodes: runners.lost,
        ...(idle.length === 0 ? {} : { idle_nodes: idle }),
        ...(unsubmitted.length === 0 ? {} : { unsubmitted_allocations: unsubmittedBy(unsubmitted) }),
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
      context.output.record('status', { ...json, ...more }, text);
      for (const [labels, jobs] of Object.entries(found.unserved_ready_labels ?? {})) {
        const next = nextCommand(place, { labels: labels.split(',') });
        context.output.warn(`${jobs} ready jobs need a runner with the labels ${labels}: ${context.hint(next)}`);
      }
    },
  });

/** Under both names of the command. */
export const status = statusCommand('status [workflow]');
export const workflowsStatus = statusCommand('workflows status [workflow]');

/** Where a server does not say. */
const anywhere = (workflowId: number): Place => ({ workflowId, runsIn: 'anywhere', submission: 'none' });

/** The id is a number in every format; a task of an array is named by both. */
const queuedIds = (job: SlurmJob) =>
  typeof job === 'number'
    ? { slurm_job_id: job }
    : { slurm_job_id: wholeJobs([job])[0], array_task_id: Number(job.split('_')[1]) };

/** Which ready jobs no runner can take, and why. */
function leftLines(left: Unclaimable | undefined): string[] {
  if (left === undefined || left.unclaimable_jobs === 0) return [];
  const who = left.compute_node_ids.length === 1 ? 'the runner' : `any of ${left.compute_node_ids.length} runners`;
  return [
    '',
    `No runner can take these jobs; checked for ${who} (${left.compute_node_ids.join(', ')}):`,
    ...left.reasons.map((each) => `  ${unclaimableWords(each)}`),
  ];
}

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

export function statusText(found: WorkflowStatus): string {
  const counts = Object.entries(found.jobs_by_status).filter(([, jobs]) => jobs > 0);
  const { failed, terminated, canceled } = found.jobs_by_status;
  const bad = failed + terminated + canceled;
  const last = !found.is_complete
    ? '◷ Workflow in progress...'
    : bad === 0
      ? '✓ Workflow complete'
      : `✗ Workflow complete with failures (${failed} failed, ${terminated} terminated, ${canceled} canceled)`;
  return [
    'Workflow Summary',
    `  Workflow ID: ${found.workflow_id}`,
    `  Name: ${withShortWords(found.workflow_name)}`,
    `  User: ${found.workflow_user}`,
    ...(found.run_id === undefined || found.run_id === null ? [] : [`  Run: ${found.run_id}`]),
    ...(found.is_canceled ? ['  Canceled: true'] : []),
    '',
    `Job Status (total: ${found.total_jobs}):`,
    ...counts.map(([name, jobs]) => `  ${name}: ${jobs}`),
    '',
    `Total Execution Time: ${secondsText(found.total_exec_time_minutes * 60)}`,
    ...(found.walltime_seconds === undefined || found.walltime_seconds === null
      ? []
      : [`Walltime: ${secondsText(found.walltime_seconds)}`]),
    '',
    'Compute Resources:',
    `  Active compute nodes: ${found.active_compute_nodes}`,
    ...(found.pending_scheduled_nodes + found.active_scheduled_nodes === 0
      ? []
      : [`  Allocations: ${found.active_scheduled_nodes} active, ${found.pending_scheduled_nodes} pending`]),
    '',
    last,
  ].join('\n');
}
