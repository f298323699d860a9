import { all } from '../../client/every.ts';
import { exitCodesOf } from '../../core/attempt/judge.ts';
import type { JobStatus } from '../../core/job/job-statuses.ts';
import { explainJob as explain } from '../../operations/explain/explain.ts';
import { explainedJson } from '../../operations/report/views/explained.ts';
import { withCauses } from '../../operations/report/views/result-causes.ts';
import { type Backend, tool } from '../tool.ts';
import { asData } from '../data.ts';
import { ofJob, workflowParameters, parameters, statusParameter, workflowIdParameter } from './parameters.ts';

export const getJobDetails = tool('get_job_details', {
  says: 'A job with its command, dependencies and requirements, and the results of all its attempts, each with why it ended.',
  effect: 'reads',
  input: ofJob,
  more: 'list_results with job_id lists the results',
  async run({ job_id: id }, { client }) {
    const server = await client();
    const job = await server.getJob({ params: { id } });
    const needs = job.resource_requirements_id;
    const requirements =
      typeof needs === 'number' ? await server.getResourceRequirements({ params: { id: needs } }) : null;
    const results = await all((page) =>
      server.listResults({ query: { workflow_id: job.workflow_id, job_id: id, all_runs: true, ...page } }),
    );
    const { execution_config: execution } = await server.getWorkflow({ params: { id: job.workflow_id } });
    const codes = exitCodesOf(execution);
    return { job, resource_requirements: requirements, results: results.map((each) => withCauses(each, codes)) };
  },
});

/** Jobs in one reply; a reply that is longer than allowed is cut all the same. */
const MOST_JOBS = 1000;

async function jobsWith(wanted: JobStatus, id: number, { client }: Backend) {
  const server = await client();
  const { items, total_count: total } = await server.listJobs({
    query: { workflow_id: id, status: wanted, limit: MOST_JOBS },
  });
  return { workflow_id: id, status: wanted, total_count: total, jobs: items };
}

const MORE_JOBS = 'explain_workflow groups failures; torc jobs list ID --status STATUS -f json prints all';

export const listJobsByStatus = tool('list_jobs_by_status', {
  says: 'The jobs of a workflow with one status.',
  effect: 'reads',
  input: parameters({ workflow_id: workflowIdParameter, status: statusParameter }),
  more: MORE_JOBS,
  run: ({ workflow_id: id, status: wanted }, backend) => jobsWith(wanted, id, backend),
});

export const listFailedJobs = tool('list_failed_jobs', {
  says: 'The jobs of a workflow with the status failed. explain_workflow says why they failed.',
  effect: 'reads',
  input: workflowParameters,
  more: MORE_JOBS,
  run: ({ workflow_id: id }, backend) => jobsWith('failed', id, backend),
});

export const listPendingFailedJobs = tool('list_pending_failed_jobs', {
  says: 'The jobs of a workflow that failed and wait for a decision (pending_failed); classify_and_resolve_failures decides.',
  effect: 'reads',
  input: workflowParameters,
  more: MORE_JOBS,
  run: ({ workflow_id: id }, backend) => jobsWith('pending_failed', id, backend),
});

export const explainJobTool = tool('explain_job', {
  says: 'Why a job waits, or why it ended as it did: reasons, files, last lines of its standard error, next commands.',
  effect: 'reads',
  input: ofJob,
  more: 'tail_output reads more of what it wrote',
  async run({ job_id: id }, { client, outputDir, environment, partitions, hint }) {
    const found = await explain(await client(), id, { outputDir, environment, partitions, nowMs: Date.now() });
    const { stderr_tail: tail, ...rest } = explainedJson(found, hint);
    return tail === undefined ? rest : { ...rest, stderr_tail: asData(tail) };
  },
});
