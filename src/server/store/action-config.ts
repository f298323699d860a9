import { Refusal } from '../../core/contract/refusals.ts';
import type { WorkflowAction } from '../../core/contract/scheduling.ts';

const SCHEDULE_FIELDS = [
  'scheduler_id',
  'scheduler_type',
  'num_allocations',
  'start_one_worker_per_node',
  'max_parallel_jobs',
];

/** Refuses what an action of this type cannot be told. Types are free text, as in the original. */
export function refuseBadConfig({
  action_type: type,
  action_config: config,
}: Pick<WorkflowAction, 'action_type' | 'action_config'>): void {
  const refuse = (why: string): never => {
    throw new Refusal('BODY_REFUSED', `Invalid action_config: ${why}`, { field: 'action_config' });
  };
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    return refuse('action_config must be an object');
  if (type === 'run_commands') {
    if (Object.keys(config).some((key) => key !== 'commands')) {
      refuse("For action_type 'run_commands', only 'commands' field is allowed");
    }
    const commands = config['commands'];
    if (!Array.isArray(commands) || commands.some((command) => typeof command !== 'string'))
      refuse("'commands' must be an array of strings");
    if ((commands as unknown[]).length === 0) refuse("'commands' array cannot be empty");
  }
  if (type === 'schedule_nodes') {
    const unknown = Object.keys(config).find((key) => !SCHEDULE_FIELDS.includes(key));
    if (unknown !== undefined) {
      refuse(
        `Unsupported field '${unknown}' for action_type 'schedule_nodes'. Allowed fields: ${SCHEDULE_FIELDS.join(', ')}`,
      );
    }
  }
}
