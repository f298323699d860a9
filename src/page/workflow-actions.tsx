import type { Workflow, WorkflowStatus } from '../core/contract/workflow.ts';
import { countOf, FAILED, HELD, STOPPED, WAITS } from '../core/job/statuses.ts';
import { nextCommand } from '../core/lifecycle/explain/next-command.ts';
import { grouped } from '../core/quantity/count-text.ts';
import { Confirm } from './confirm.tsx';
import { connection } from './connection.ts';
import { jobsWords } from './parts.tsx';
import { usePlace } from './place.ts';
import { Recover } from './recover.tsx';

const { client } = connection;

interface ActionsProps {
  readonly workflow: Workflow;
  readonly status: WorkflowStatus;
  readonly again: () => void;
}

/** What a user does with a whole workflow. Each button is disabled, with the reason, where it would be refused. */
export function WorkflowActions({ workflow: { id, is_archived: isArchived }, status, again }: ActionsProps) {
  const { jobs_by_status: counts } = status;
  const [active, open] = [countOf(counts, HELD), countOf(counts, HELD, WAITS)];
  const bad = countOf(counts, FAILED, STOPPED);
  const params = { id };
  const runAgain = async (failedOnly: boolean) => {
    await client.resetStatus({ params });
    await client.resetJobStatus({ params, query: { failed_only: failedOnly } });
    await client.initializeJobs({ params, query: { only_uninitialized: failedOnly } });
    again();
  };
  const place = usePlace(id);
  const runnerWords = `A runner must be active${place === undefined ? '' : `, or come with: ${nextCommand(place)}`}`;
  const isBusy = isArchived === true ? 'The workflow is archived' : active > 0 ? 'Jobs are still running' : undefined;
  return (
    <div class="buttons">
      <Confirm
        label="Run again …"
        title="Run the jobs again that did not complete?"
        says={`A new run begins. ${jobsWords(bad)} that failed or were stopped, and all jobs that depend on them, become ready or blocked; what completed stays. ${runnerWords}`}
        does="Run again"
        unlessFor={isBusy ?? (bad === 0 ? 'No job failed or was stopped' : undefined)}
        act={() => runAgain(true)}
      />
      <Recover id={id} status={status} unlessFor={isBusy} again={again} />
      <Confirm
        label="Run all again …"
        title="Run all jobs again?"
        says={`A new run begins, and all ${jobsWords(status.total_jobs)} run again from the beginning, also the ${grouped(counts.completed)} that completed. What they wrote is written again. ${runnerWords}`}
        does="Run all again"
        isDangerous
        unlessFor={isBusy ?? (status.total_jobs === 0 ? 'The workflow has no jobs' : undefined)}
        act={() => runAgain(false)}
      />
      <Confirm
        label="Cancel …"
        title="Cancel this workflow?"
        says={`${jobsWords(active)} that ${active === 1 ? 'runs is' : 'run are'} ended, and ${jobsWords(open - active)} that ${open - active === 1 ? 'waits does' : 'wait do'} not start. What completed stays.`}
        does="Cancel the workflow"
        isDangerous
        unlessFor={status.is_canceled ? 'It is canceled' : open === 0 ? 'No job waits or runs' : undefined}
        act={async () => {
          await client.cancelWorkflow({ params });
          again();
        }}
      />
    </div>
  );
}
