import type { WorkflowAction } from '../../core/contract/scheduling.ts';
import type { NodeRequest } from '../facts/scheduling.ts';

/** The work of an action; undefined if this runner cannot do it. */
export type ActionWork =
  | { readonly kind: 'run_commands'; readonly commands: readonly string[] }
  | { readonly kind: 'schedule_nodes'; readonly request: NodeRequest };

type Described = Pick<WorkflowAction, 'action_type' | 'action_config'>;

/** The work of this runner for an action. `canSchedule`: allocations can be submitted here. */
export function plannedActionOf(
  { action_type: type, action_config: config }: Described,
  canSchedule: boolean,
): ActionWork | undefined {
  const fields = (typeof config === 'object' && config !== null ? config : {}) as Readonly<Record<string, unknown>>;
  if (type === 'run_commands') {
    const commands = fields['commands'];
    return Array.isArray(commands) ? { kind: type, commands: commands as string[] } : undefined;
  }
  if (type !== 'schedule_nodes' || fields['scheduler_type'] !== 'slurm' || !canSchedule) return undefined;
  return {
    kind: type,
    request: {
      schedulerId: numberOf(fields['scheduler_id']),
      allocations: numberOf(fields['num_allocations']) ?? 1,
      startOneWorkerPerNode: fields['start_one_worker_per_node'] === true,
      maxParallelJobs: numberOf(fields['max_parallel_jobs']),
    },
  };
}

const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);

/** Triggers that occur while a runner runs, in the order in which they are checked. */
const JOB_TRIGGERS = ['on_jobs_ready', 'on_jobs_complete'] as const;
/** The same with the one that keeps no idle runner: a failure may never come. */
export const RUN_TRIGGERS = [...JOB_TRIGGERS, 'on_first_failure'] as const;

/** How long an action that is not due keeps an idle runner alive, from the last end of one of its jobs. */
const GRACE_MS = 120_000;

export interface Idleness {
  /** Actions that this runner has executed. */
  readonly doneHere: ReadonlySet<number>;
  readonly canSchedule: boolean;
  /** Since a job was last assigned to this runner or ended here. */
  readonly idleMs: number;
}

/**
 * Whether these actions keep an idle runner alive. They may create work for it.
 *
 * A due action of jobs does, until a runner has executed it; a persistent action, until this runner has. An action that
 * is not due yet does for two minutes: jobs of other runners may be about to trigger it.
 */
export function isHeldBy(actions: readonly WorkflowAction[], { doneHere, canSchedule, idleMs }: Idleness): boolean {
  return actions.some((action) => {
    const { id, trigger_type: trigger, executed, persistent } = action;
    if (!JOB_TRIGGERS.includes(trigger as (typeof JOB_TRIGGERS)[number])) return false;
    if (plannedActionOf(action, canSchedule) === undefined) return false;
    if (persistent === true ? doneHere.has(id) : executed === true) return false;
    return isTriggered(action) || idleMs < GRACE_MS;
  });
}

const isTriggered = ({ trigger_count: count, required_triggers: required }: WorkflowAction) =>
  (count ?? 0) >= (required ?? 1);
