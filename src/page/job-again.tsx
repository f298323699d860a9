import type { Job } from '../core/contract/job.ts';
import { countOf, HELD, isOneOf, RECOVERABLE, RETRIABLE } from '../core/job/statuses.ts';
import { nextCommand } from '../core/lifecycle/explain/next-command.ts';
import { Confirm } from './confirm.tsx';
import { connection } from './connection.ts';
import { useLive } from './hooks.ts';
import { usePlace } from './place.ts';
import { statusWords } from './words.ts';

const { client } = connection;

interface JobAgainProps {
  readonly job: Job;
  readonly again: () => void;
}

/**
 * Runs a job again that did not complete.
 *
 * While a runner or an allocation is active, as a new attempt of the present run: a new run would make the reports of that runner void.
 * Otherwise in a new run, and with it the jobs that were canceled for it.
 */
export const JobAgain = (props: JobAgainProps) =>
  isOneOf(RECOVERABLE, props.job.status) ? <RunAgain {...props} /> : null;

function RunAgain({ job: { id, workflow_id: workflowId, status, attempt_id: attempt }, again }: JobAgainProps) {
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
    if (isUnderWay)
      await client.retryJob({
        params: { id, run_id: now.run_id ?? 0 },
        query: { max_retries: (attempt ?? 1) + 1 },
      });
    else {
      const { run_id: run } = await client.resetStatus({ params });
      await client.manageStatusChange({ params: { id, status: 'uninitialized', run_id: run ?? 0 } });
      await client.initializeJobs({ params, query: { only_uninitialized: true, keep_pending_failed: true } });
    }
    live.again();
    again();
  };
  return (
    <Confirm
      label="Run again …"
      title="Run this job again?"
      says={
        isUnderWay
          ? 'It becomes ready at once, as a new attempt of this run. Jobs that were canceled for it stay canceled until the workflow runs again.'
          : `A new run begins. The job and all that depend on it become ready or blocked; what else completed stays. A runner must be started${place === undefined ? '' : `: ${nextCommand(place)}`}`
      }
      does="Run again"
      unlessFor={
        isUnderWay && !isOneOf(RETRIABLE, status)
          ? `The workflow is under way, and the job is ${statusWords(String(status))}`
          : undefined
      }
      act={act}
    />
  );
}
