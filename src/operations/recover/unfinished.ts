import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import type { Adjustment } from '../correct-resources.ts';

// Types, not interfaces: they are JSON.
type Amounts = { memory: string | null; num_cpus: number | null; runtime: string | null };
type Raised = { requirements_id: number; before: Amounts; after: Amounts };

const CATEGORY = 'recovery';
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

/**
 * Notes the beginning of a recovery, before its first change; its end is the next event of this category.
 *
 * Killed in between, it leaves failures whose requirements were raised already, or allocations of which some were not
 * submitted. The next recovery reads this, so nothing is raised twice and nothing is missing.
 */
export async function noteBeginning(
  client: Client,
  workflowId: number,
  { runId, beginsRun, adjustments }: Beginning,
): Promise<void> {
  const raised = adjustments.map(({ correction, before, after }): Raised => ({
    requirements_id: correction.requirementsId,
    before: amountsOf(before),
    after: amountsOf(after),
  }));
  const message = `Begins to recover workflow ${workflowId}`;
  const data = { category: CATEGORY, action: BEGIN, message, run_id: runId, begins_run: beginsRun, raised };
  await client.createEvent({ body: { workflow_id: workflowId, timestamp: Date.now(), data } });
}

interface End {
  readonly reset: number;
  readonly submitted: number;
  readonly adjustments: number;
}

/** Notes the end of a recovery. */
export async function noteEnd(client: Client, workflowId: number, { reset, submitted, adjustments }: End) {
  const data = {
    category: CATEGORY,
    action: 'recover',
    message: `Recovered workflow ${workflowId}: ${reset} job(s) reset, ${submitted} allocation(s) submitted`,
    jobs_reset: reset,
    allocations_submitted: submitted,
    adjustments,
  };
  await client.createEvent({ body: { workflow_id: workflowId, timestamp: Date.now(), data } });
}

/** A recovery that did not reach its end. */
export interface Unfinished {
  /** It was killed when its jobs were ready and its allocations were being submitted. */
  readonly wasSubmitting: boolean;
  /** The requirements that it raised, as they were before, by id; those that were changed since are left out. */
  readonly before: ReadonlyMap<number, ResourceRequirements>;
}

/** The last recovery of a workflow, if it did not reach its end. */
export async function unfinishedRecovery(client: Client, workflowId: number): Promise<Unfinished | undefined> {
  const { run_id: runId } = await client.getWorkflow({ params: { id: workflowId } });
  const query = { workflow_id: workflowId, category: CATEGORY };
  const events = await all((page) => client.listEvents({ query: { ...query, ...page } }));
  const last = events.toSorted((a, b) => a.id - b.id).at(-1)?.data as
    | {
        readonly action?: unknown;
        readonly run_id?: unknown;
        readonly begins_run?: unknown;
        readonly raised?: readonly Raised[];
      }
    | undefined;
  if (last?.action !== BEGIN) return undefined;
  const before = new Map<number, ResourceRequirements>();
  const wasSubmitting = runId === Number(last.run_id) + (last.begins_run === true ? 1 : 0);
  // In the next run there are no results of the last one that could be diagnosed.
  if (last.run_id === runId)
    for (const each of last.raised ?? []) {
      const params = { id: each.requirements_id };
      const now = await client.getResourceRequirements({ params }).catch(() => undefined);
      if (now !== undefined && isSame(amountsOf(now), each.after)) before.set(params.id, { ...now, ...each.before });
    }
  return { wasSubmitting, before };
}
