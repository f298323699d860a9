import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

const workflow = z.object({ workflow_id: z.string().regex(/^\d+$/).describe('id of the workflow') });

const asUser = (text: string) => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] });

/** Requests that a person picks from a menu of the client. */
export function addPrompts(server: McpServer): void {
  server.registerPrompt(
    'diagnose',
    { description: 'Find out why jobs of a workflow failed or wait, and correct it.', argsSchema: workflow },
    ({ workflow_id: id }) =>
      asUser(
        `Find out what is wrong with workflow ${id} of torc. Call explain_workflow, and explain_job or tail_output where the cause stays open. Say for each group of failures what caused it and what you would change. Correct commands with change_job_commands. Call recover_workflow with dry_run true, show me the plan, and carry it out with dry_run false when I agree.`,
      ),
  );
  server.registerPrompt(
    'write_workflow',
    {
      title: 'write a workflow',
      description: 'Write a workflow file for a task, check it, and create the workflow.',
      argsSchema: z.object({ task: z.string().describe('what the workflow is to do') }),
    },
    ({ task }) =>
      asUser(
        `Write a workflow for torc that does this: ${task}\nRead the fields with get_docs workflow-spec and an example with list_examples and get_example. Declare files and resource requirements of each job. Check it with create_workflow and the action validate, correct every problem, show me the plan of get_execution_plan, and create it with the action create_workflow when I agree.`,
      ),
  );
  server.registerPrompt(
    'right_size',
    {
      title: 'right-size',
      description: 'Compare what jobs requested with what they used, and propose requirements.',
      argsSchema: workflow,
    },
    ({ workflow_id: id }) =>
      asUser(
        `Compare what the jobs of workflow ${id} of torc requested with what they used: suggest_resources and analyze_resource_usage. Propose for each record of requirements new memory, CPUs and runtime, with the measured figures, and name the jobs that used more than they requested. Change nothing before I agree; then use update_job_resources or regroup_job_resources.`,
      ),
  );
}
