import type { Client } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { RecoveryDecision } from '../../core/lifecycle/recover/recovery.ts';
import { beginningNote, endNote } from '../../core/lifecycle/recover/recovery-note.ts';
import type { BadEnd, Recovery } from '../../core/lifecycle/recover/recovery-plan.ts';
import { storeAdjustments } from '../resources/correct-resources.ts';
import { resetJobs } from '../jobs/reset-jobs.ts';

/**
 * Raises requirements and makes the jobs of the plan ready in a new run, which `begin` begins; `beforeReset` may run the hook of a
 * user. Returns how many were reset.
 */
export async function applyRecovery(
  client: Client,
  workflowId: number,
  { plan, uninitialized, isContinued, adjustments, raised }: Recovery,
  begin: () => Promise<void>,
  beforeReset?: (runId: number) => Promise<void>,
): Promise<number> {
  if (isContinued) return 0;
  const params = { id: workflowId };
  const runId = (await client.getWorkflow({ params })).run_id ?? 0;
  const beginsRun = plan.retried.length + uninitialized > 0;
  await note(client, workflowId, beginningNote(workflowId, { runId, beginsRun, adjustments }));
  await storeAdjustments(client, workflowId, adjustments);
  await noteRaises(client, raised);
  await beforeReset?.(runId);
  if (!beginsRun) return 0;
  if (plan.retried.length > 0) await resetRetried(client, workflowId, plan);
  await begin();
  return plan.retried.length;
}

/** Of more, the note of the beginning alone says it. */
const MOST_NOTED = 1_000;
const TOGETHER = 32;

/** Stores with the attempts what the next ones get. This is for people: a server that refuses it keeps nothing from being recovered. */
async function noteRaises(client: Client, raised: Recovery['raised']): Promise<void> {
  for (let at = 0; at < Math.min(raised.length, MOST_NOTED); at += TOGETHER)
    await Promise.all(
      raised
        .slice(at, at + TOGETHER)
        .map(({ resultId, cause }) =>
          client.updateResult({ params: { id: resultId }, body: { cause } }).catch(refused),
        ),
    );
}

function refused(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}

/** Notes the end of a recovery. */
export const noteEnd = (client: Client, workflowId: number, done: Parameters<typeof endNote>[1]): Promise<unknown> =>
  note(client, workflowId, endNote(workflowId, done));

const note = (client: Client, workflowId: number, data: ReturnType<typeof beginningNote | typeof endNote>) =>
  client.createEvent({ body: { workflow_id: workflowId, timestamp: Date.now(), data } });

/** In one request if every job that did not end well is repeated: there may be tens of thousands. */
async function resetRetried(client: Client, workflowId: number, plan: RecoveryDecision<BadEnd>): Promise<void> {
  if (plan.left.length === 0) {
    await client.resetJobStatus({ params: { id: workflowId }, query: { failed_only: true } });
    return;
  }
  const jobs = plan.retried.map(({ id, name }) => ({ id, name, workflow_id: workflowId, command: '' }));
  const { reset, failures } = await resetJobs(client, { workflowId, jobs });
  if (failures.length > 0)
    throw new Refusal('RECOVERY_REFUSED', resetFailed(reset.length, jobs.length, failures), { reset: reset.length });
}

/** Failures that are shown. */
const SHOWN = 5;

function resetFailed(reset: number, all: number, failures: readonly { job_id: number; error: string }[]): string {
  const shown = failures.slice(0, SHOWN).map(({ job_id: id, error }) => `job ${id}: ${error}`);
  const more = failures.length > SHOWN ? ` (${failures.length - SHOWN} more not shown)` : '';
  return `Reset ${reset} of ${all} job(s); ${shown.join('; ')}${more}`;
}
