import type { Job } from '../core/contract/job.ts';
import { countOf, HELD, isOneOf, RECOVERABLE } from '../core/job/statuses.ts';
import { nextCommand } from '../core/lifecycle/explain/next-command.ts';
import { Confirm } from './confirm.tsx';
import { connection } from './connection.ts';
import { useLive } from './hooks.ts';
import { usePlace } from './place.ts';

const { client } = connection;

interface JobAgainProps {
  readonly job: Job;
  readonly again: () => void;
}

/**
 * Runs a job again that did not complete, and with it the jobs that were canceled for it, in the present run: reports of a runner that
 * is active stay valid. One request changes all of it or nothing. Only a workflow that was canceled begins a new run first.
 */
export const JobAgain = (props: JobAgainProps) =>
  isOneOf(RECOVERABLE, props.job.status) ? <RunAgain {...props} /> : null;

function RunAgain({ job: { id, workflow_id: workflowId, status }, again }: JobAgainProps) {
  const place = usePlace(workflowId);
  const live = useLive(
    `again ${workflowId} ${status}`,
    () => client.getWorkflowStatus({ params: { id: workflowId } }),
    10_000,
  );
  const now = live.value;
  if (now === undefined) return null;
  const params = { id: workflowId };
  const active = now.active_compute_nodes + now.pending_scheduled_nodes + now.active_scheduled_nodes;
  const isUnderWay = active + countOf(now.jobs_by_status, HELD) > 0;
  const act = async () => {
    if (now.is_canceled) await client.resetStatus({ params });
    const body = { jobs: { change: [{ id, runs_again: true }] } };
    const [held] = (await client.updatePlan({ params, query: {}, body })).held;
    if (held !== undefined)
      throw new Error(
        `It stays as it is: ${held.running_job_name} needs it and runs. Try again when that job has ended.`,
      );
    live.again();
    again();
  };
  return (
    <Confirm
      label="Run again …"
      title="Run this job again?"
      says={
        isUnderWay
          ? 'It becomes ready at once, as a new attempt of this run, and jobs that were canceled for it wait for it again.'
          : `The job and all that depend on it become ready or blocked; what else completed stays. A runner must be started${place === undefined ? '' : `: ${nextCommand(place)}`}`
      }
      does="Run again"
      act={act}
    />
  );
}
