import type { ResourceRequirements } from '../../contract/resources.ts';
import type { Adjustment } from '../resources/used-jobs.ts';

/**
 * What a recovery notes as events of its workflow: its beginning before its first change, and its end.
 *
 * Killed in between, it leaves failures whose requirements were raised already, or allocations of which some were not submitted. The next
 * recovery reads this, so nothing is raised twice and nothing is missing.
 */

// Types, not interfaces: they are JSON.
type Amounts = { memory: string | null; num_cpus: number | null; runtime: string | null };
type Raised = { requirements_id: number; before: Amounts; after: Amounts };

/** The category of these events. */
export const RECOVERY_NOTE = 'recovery';
const BEGIN = 'begin';

const amountsOf = ({ memory, num_cpus, runtime }: ResourceRequirements): Amounts => ({
  memory: memory ?? null,
  num_cpus: num_cpus ?? null,
  runtime: runtime ?? null,
});
const isSame = (a: Amounts, b: Amounts): boolean =>
  a.memory === b.memory && a.num_cpus === b.num_cpus && a.runtime === b.runtime;

interface Beginning {
  readonly runId: number;
  /** Whether it is going to begin a new run. */
  readonly beginsRun: boolean;
  readonly adjustments: readonly Adjustment[];
}

export const beginningNote = (workflowId: number, { runId, beginsRun, adjustments }: Beginning) => ({
  category: RECOVERY_NOTE,
  action: BEGIN,
  message: `Begins to recover workflow ${workflowId}`,
  run_id: runId,
  begins_run: beginsRun,
  raised: adjustments.map(({ correction, before, after }): Raised => ({
    requirements_id: correction.requirementsId,
    before: amountsOf(before),
    after: amountsOf(after),
  })),
});

interface Done {
  readonly reset: number;
  readonly submitted: number;
  readonly adjustments: number;
}

export const endNote = (workflowId: number, { reset, submitted, adjustments }: Done) => ({
  category: RECOVERY_NOTE,
  action: 'recover',
  message: `Recovered workflow ${workflowId}: ${reset} job(s) reset, ${submitted} allocation(s) submitted`,
  jobs_reset: reset,
  allocations_submitted: submitted,
  adjustments,
});

/** What the beginning of a recovery says, as an event has it. */
interface StoredNote {
  readonly action?: unknown;
  readonly run_id?: unknown;
  readonly begins_run?: unknown;
  readonly raised?: readonly Raised[];
}

/** Whether the recovery with this last note was killed when its jobs were ready and its allocations were being submitted. */
export const wasSubmitting = (note: unknown, runId: number): boolean => {
  const { action, run_id: begun, begins_run: beginsRun } = (note ?? {}) as StoredNote;
  return action === BEGIN && runId === Number(begun) + (beginsRun === true ? 1 : 0);
};

/** The requirements as they were before the recovery with this last note, if it was killed; those that were changed since stay. */
export function asBefore(
  requirements: readonly ResourceRequirements[],
  note: unknown,
  runId: number,
): readonly ResourceRequirements[] {
  const { action, run_id: begun, raised = [] } = (note ?? {}) as StoredNote;
  // In the next run there are no results of the last one that could be diagnosed.
  if (action !== BEGIN || begun !== runId) return requirements;
  const byId = new Map(raised.map((each) => [each.requirements_id, each]));
  return requirements.map((now) => {
    const each = byId.get(now.id);
    return each !== undefined && isSame(amountsOf(now), each.after) ? { ...now, ...each.before } : now;
  });
}
