import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import { chooseWorkflow } from '../choose-workflow.ts';
import type { Command } from '../command.ts';
import { secondsText } from '../output/words.ts';

export const status: Command = {
  words: 'status [workflow]',
  says: 'How a workflow stands.',
  async run(context, [workflow]) {
    const id = await chooseWorkflow(context, workflow);
    const { client } = await context.service();
    const found = await client.getWorkflowStatus({ params: { id } });
    const { walltime_seconds: walltime, total_exec_time_minutes: minutes } = found;
    const json = {
      ...found,
      total_exec_time_formatted: secondsText(minutes * 60),
      ...(walltime === undefined || walltime === null ? {} : { walltime_formatted: secondsText(walltime) }),
      unserved_ready_labels: found.unserved_ready_labels ?? {},
    };
    context.output.record('status', json, statusText(found));
    for (const [labels, jobs] of Object.entries(found.unserved_ready_labels ?? {})) {
      const flags = labels
        .split(',')
        .map((label) => `--label ${label}`)
        .join(' ');
      context.output.warn(`${jobs} ready jobs need a runner with the labels ${labels}: torc run ${id} ${flags}`);
    }
  },
};

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
    `  Name: ${found.workflow_name}`,
    `  User: ${found.workflow_user}`,
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
