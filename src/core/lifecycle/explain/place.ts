import { requestOf, submitTriggers } from '../../allocation/request.ts';
import type { KnownWorkflow } from '../../contract/known.ts';
import type { WorkflowAction } from '../../contract/scheduling.ts';
import type { RunnerRoom } from '../placement/obstacles.ts';
import { nextCommand, type RunPlace, type RunsIn, type SubmissionState } from './next-command.ts';
import { roomOfScheduler } from '../placement/scheduler-room.ts';

/** Where the jobs of a workflow run: by its schedulers and workers, or else by its last runner. */
export function placeOf({
  workflow: { id: workflowId },
  slurm_schedulers: schedulers,
  remote_workers: workers,
  last_runner: last,
  actions,
}: KnownWorkflow): RunPlace {
  const runsIn: RunsIn =
    schedulers.length > 0
      ? 'allocations'
      : workers.length > 0
        ? 'hosts'
        : last?.compute_node_type === 'slurm'
          ? 'scripts'
          : 'anywhere';
  return { workflowId, runsIn, submission: runsIn === 'allocations' ? submissionOf(actions) : 'none' };
}

/** An action that `torc submit` carries out is due, or will be as soon as the workflow is initialized. */
function submissionOf(actions: readonly WorkflowAction[]): SubmissionState {
  const submitting = actions.filter((action) => requestOf(action) !== undefined);
  const isDue = submitting.some(
    ({ executed, trigger_type: trigger, trigger_count: count, required_triggers: required }) =>
      executed !== true &&
      submitTriggers.has(trigger) &&
      (trigger === 'on_workflow_start' || (count ?? 0) >= (required ?? 1)),
  );
  return isDue ? 'due' : submitting.length > 0 ? 'done' : 'none';
}

/** The runners of allocations that may be submitted. */
export function futureRooms({ workflow, slurm_schedulers: schedulers, actions }: KnownWorkflow): RunnerRoom[] {
  const requests = actions.flatMap((action) => requestOf(action) ?? []);
  return schedulers.map((each) => {
    const own = requests.filter(({ schedulerId }) => schedulerId === each.id);
    const isPerNode = own.length > 0 && own.every(({ startOneWorkerPerNode }) => startOneWorkerPerNode);
    return {
      ...roomOfScheduler(each, workflow, isPerNode),
      countsJobs: own.some(({ maxParallelJobs }) => maxParallelJobs !== undefined),
    };
  });
}

/** How the jobs of a workflow run: in allocations, on hosts, or where a person types. */
export type WorkflowKind = 'slurm' | 'remote' | 'local';

export const kindOf = ({ slurm_schedulers: schedulers, remote_workers: workers }: KnownWorkflow): WorkflowKind =>
  schedulers.length > 0 ? 'slurm' : workers.length > 0 ? 'remote' : 'local';

/** The command that runs the jobs of a recovery; undefined where it submits allocations for them. */
export const nextAfterRecovery = (known: KnownWorkflow): string | undefined =>
  kindOf(known) === 'slurm' ? undefined : nextCommand(placeOf(known));
