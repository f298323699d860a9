import * as z from 'zod';
import { prepareRun } from '../../operations/run/run.ts';
import { outdatedOf, refuseLoss } from '../../operations/update/update-plan.ts';
import { tool } from '../tool.ts';
import { parameters, workflowIdParameter } from './parameters.ts';

const force = z
  .array(z.string().min(1))
  .default([])
  .describe('names of jobs, or patterns such as train_*, that run again in any case, with what depends on them');

export const listOutOfDateTool = tool('list_out_of_date', {
  says: 'Which jobs of a workflow would run now, and why: input newer than at the last run, output missing, values changed, failed, interrupted, waits for one of these. Changes nothing.',
  effect: 'reads',
  // It looks at the files of the jobs.
  needsMachine: true,
  input: parameters({ workflow_id: workflowIdParameter, force }),
  more: 'torc run ID --dry-run prints it by families of jobs',
  async run({ workflow_id: id, force: names }, { client }) {
    const found = await outdatedOf(await client(), id, { force: names, onlyChanges: false });
    const { run, canceled, failed } = found.reruns;
    return {
      workflow_id: id,
      // Those that failed wait for a person: run_again with retry_failed takes them.
      counts: { would_run: run.length, stay_failed: failed.length, would_be_canceled: canceled.length },
      ...(found.unseenIn === undefined ? {} : { files_not_looked_at: `they are in ${found.unseenIn}` }),
      ...(found.lostOutputs === undefined ? {} : { lost_outputs: found.lostOutputs }),
      ...(found.newerPrograms?.length ? { newer_programs: found.newerPrograms } : {}),
      would_run: run,
      stay_failed: failed.map((job) => ({ job_id: job.id, job_name: job.name })),
    };
  },
});

export const runAgainTool = tool('run_again', {
  says: 'Make jobs ready that are out of date, with what depends on them: what list_out_of_date shows, jobs that force names, and with retry_failed what failed or was interrupted. Call list_out_of_date first, and show it to your user. The reply names the command that runs them.',
  effect: 'resets',
  needsMachine: true,
  input: parameters({ workflow_id: workflowIdParameter, force, retry_failed: z.boolean().default(false) }),
  more: 'list_jobs_by_status with status ready lists them',
  async run({ workflow_id: id, force: names, retry_failed: retries }, { client, hint }) {
    const server = await client();
    const warnings: string[] = [];
    await prepareRun(server, id, {
      again: retries ? 'failed' : 'none',
      outdated: {
        force: names,
        isWanted: true,
        decide({ lostOutputs }) {
          if (names.length === 0) refuseLoss(lostOutputs);
          return true;
        },
      },
      report(event) {
        if ('message' in event) warnings.push(event.message);
      },
    });
    const { jobs_by_status: jobs } = await server.getWorkflowStatus({ params: { id } });
    return {
      workflow_id: id,
      ready: jobs.ready,
      blocked: jobs.blocked,
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(jobs.ready === 0 ? {} : { next: hint(`torc run ${id}`) }),
    };
  },
});
