import { existsSync } from 'node:fs';
import * as z from 'zod';
import { all } from '../../client/every.ts';
import { outcomeRecord } from '../../core/lifecycle/explain/outcome.ts';
import { executionPlan } from '../../core/workflow-file/plan/execution-plan.ts';
import type { ExplainedJob } from '../../operations/explain/explain.ts';
import { explainWorkflow } from '../../operations/explain/workflow.ts';
import { standingOf } from '../../operations/report/views/workflow-state.ts';
import { asData } from '../data.ts';
import { withIds } from '../named.ts';
import { type Backend, tool } from '../tool.ts';
import { parameters, workflowParameters } from './parameters.ts';
import { planFrom } from './spec.ts';

const [USUAL_WORKFLOWS, MOST_WORKFLOWS] = [50, 1000];

export const listWorkflowsTool = tool('list_workflows', {
  says: 'Workflows, the newest first, each with its state and how many jobs completed, failed, were stopped and run. Without user those of the user of this server; all_users lists those of all users.',
  effect: 'reads',
  input: parameters({
    name: z.string().min(1).optional().describe('any part of the name'),
    user: z.string().min(1).optional(),
    all_users: z.boolean().default(false),
    before_id: z.int().positive().optional().describe('only older ones: the id of the last one of the reply before'),
    limit: z.int().positive().max(MOST_WORKFLOWS).default(USUAL_WORKFLOWS),
  }),
  more: 'ask with a smaller limit, or with before_id',
  async run({ name, user, all_users: isForAll, before_id: before, limit }, backend) {
    const server = await backend.client();
    const query = { name, user: isForAll ? undefined : (user ?? backend.user), before, limit };
    const { items, has_more: hasMore } = await server.listWorkflowOverviews({ query });
    return {
      workflows: items.map((each) => ({
        workflow_id: each.id,
        name: each.name,
        user: each.user,
        created: each.timestamp,
        ...standingOf(each),
      })),
      has_more: hasMore,
    };
  },
});

export const getWorkflowStatus = tool('get_workflow_status', {
  says: 'Status of a workflow: how many jobs completed, failed, were stopped, run or did not run, the number by status, active runners, allocations, and why ready jobs do not start.',
  effect: 'reads',
  input: workflowParameters,
  more: 'list_jobs_by_status lists jobs',
  run: ({ workflow_id: id }, { command }) => command('status', String(id)),
});

export const getWorkflowSummary = tool('get_workflow_summary', {
  says: 'A workflow as a whole: its record, number of jobs by status, files, user data, resource requirements, runs.',
  effect: 'reads',
  input: workflowParameters,
  more: 'list_jobs_by_status and list_results list jobs and results',
  async run({ workflow_id: id }, { client }) {
    const server = await client();
    const query = { workflow_id: id };
    const [workflow, status, requirements] = await Promise.all([
      server.getWorkflow({ params: { id } }),
      server.getWorkflowStatus({ params: { id } }),
      all((page) => server.listResourceRequirements({ query: { ...query, ...page } })),
    ]);
    const { total_count: files } = await server.listFiles({ query: { ...query, limit: 1 } });
    const { total_count: userData } = await server.listUserData({ query: { ...query, limit: 1 } });
    const outcome = outcomeRecord(status.jobs_by_status);
    return {
      workflow,
      status: { ...status, jobs_by_outcome: outcome },
      files,
      user_data: userData,
      resource_requirements: requirements,
    };
  },
});

export const getExecutionPlan = tool('get_execution_plan', {
  says: 'Which jobs become ready when: of a workflow by its id or name, of a workflow file by its path, or of a specification as JSON.',
  effect: 'reads',
  input: parameters({ spec_or_id: z.string().describe('id, name, path, or JSON text of the specification') }),
  more: 'torc workflows execution-plan prints the whole plan',
  async run({ spec_or_id: given }, backend) {
    if (/^\s*[{[]/.test(given)) return executionPlan(planFrom(given, backend));
    if (/^\d+$/.test(given) || (backend.outputDir !== undefined && existsSync(given)))
      return backend.command('workflows', 'execution-plan', given);
    // No name that people use: a file that is not there, or is none of the caller's.
    if (given.includes('/')) throw new Error(`"${given}" is no id of a workflow, no path of a file here, and no JSON`);
    const { workflow_id: id } = await withIds({ workflow_id: given }, backend);
    return backend.command('workflows', 'execution-plan', String(id));
  },
});

export const getGraph = tool('get_graph', {
  says: 'The dependencies of a workflow of any size: families of jobs (names that are the same without numbers, and the same dependencies) with their jobs by status, and what each family depends on.',
  effect: 'reads',
  input: workflowParameters,
  more: 'list_jobs_by_status lists jobs, get_job_details has the dependencies of one',
  async run({ workflow_id: id }, { client }) {
    const { families, edges, ...leftOut } = await (await client()).getWorkflowGraph({ params: { id }, query: {} });
    const names = new Map(families.map(({ key, name }) => [key, name]));
    const above = Map.groupBy(edges, ({ to }) => to);
    return {
      families: families.map(({ key, name, first_job_id, jobs, jobs_by_status }) => ({
        name,
        jobs,
        jobs_by_status,
        first_job_id,
        depends_on: (above.get(key) ?? []).map(({ from }) => names.get(from)),
      })),
      ...leftOut,
    };
  },
});

export const explainWorkflowTool = tool('explain_workflow', {
  says: 'What is wrong with a workflow and what to do: every cause of failure, grouped, with the jobs, the last lines that one of them wrote, and the next step. Call this first.',
  effect: 'reads',
  input: workflowParameters,
  more: 'list_failed_jobs lists the jobs, explain_job says more about one',
  async run({ workflow_id: id }, { client, outputDir, environment, partitions, hint }) {
    const found = await explainWorkflow(await client(), id, { outputDir, environment, partitions, nowMs: Date.now() });
    const { waiting } = found;
    return {
      workflow_id: id,
      name: found.workflow.name,
      is_complete: found.isComplete,
      jobs_by_status: found.jobs,
      jobs_by_outcome: outcomeRecord(found.jobs),
      active_runners: found.runners,
      failures: found.failures.map(({ jobs, first, command, example }) => ({
        jobs,
        first_jobs: first,
        example: { job_id: example.facts.id, command, ...reasonsOf(example, hint), paths: example.paths },
        ...(example.stderrTail.length === 0 ? {} : { stderr_tail: asData(example.stderrTail) }),
      })),
      groups_left_out: found.groupsLeftOut,
      ...(waiting === undefined ? {} : { first_ready_job: { job_id: waiting.facts.id, ...reasonsOf(waiting, hint) } }),
      next: found.next.map((each) => hint(each)),
    };
  },
});

const reasonsOf = ({ explanation }: ExplainedJob, hint: Backend['hint']) => ({
  headline: explanation.headline,
  reasons: explanation.reasons,
  next: explanation.next.map((each) => hint(each)),
});
