import { Refusal } from '../../../core/contract/refusals.ts';
import type { WorkflowAction } from '../../../core/contract/scheduling.ts';

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1;

/** The settings of `schedule_nodes`, each with its expected value. */
const SCHEDULE_FIELDS: Readonly<Record<string, readonly [what: string, is: (value: unknown) => boolean]>> = {
  scheduler_id: ['an id', Number.isSafeInteger],
  scheduler_type: ['text', (value) => typeof value === 'string'],
  num_allocations: ['a whole number of 1 or more', isCount],
  start_one_worker_per_node: ['true or false', (value) => typeof value === 'boolean'],
  max_parallel_jobs: ['a whole number of 1 or more', isCount],
};

/** Refuses invalid settings for an action of this type. Types are free text, as in Torc 1.0.0. */
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
    for (const [field, value] of Object.entries(config)) {
      const known = Object.hasOwn(SCHEDULE_FIELDS, field) ? SCHEDULE_FIELDS[field] : undefined;
      if (known === undefined) {
        const allowed = Object.keys(SCHEDULE_FIELDS).join(', ');
        return refuse(`Unsupported field '${field}' for action_type 'schedule_nodes'. Allowed fields: ${allowed}`);
      }
      const [what, is] = known;
      if (value !== null && !is(value)) refuse(`${field}: expected ${what}, found ${JSON.stringify(value)}`);
    }
  }
}
