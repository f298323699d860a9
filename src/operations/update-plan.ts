import { stat } from 'node:fs/promises';
import type { Client } from '../client/client.ts';
import { ServiceError } from '../client/errors.ts';
import { isUnknownRoute } from '../client/compat/unknown-route.ts';
import { storedPlan } from '../client/stored-plan.ts';
import type { PlanUpdated } from '../core/contract/plan-update.ts';
import { Refusal } from '../core/contract/refusals.ts';
import { counted, someOf } from '../core/quantity/count-text.ts';
import type { Plan } from '../core/workflow-file/plan/plan.ts';
import { diffPlan } from '../core/workflow-file/update/diff.ts';
import type { PlanDifference } from '../core/workflow-file/update/difference.ts';

export interface UpdateOptions {
  /** Only reports what would change. */
  readonly isDryRun: boolean;
  /** The absolute path of the workflow file. */
  readonly specFile?: string | undefined;
}

export interface UpdatedPlan {
  readonly difference: PlanDifference;
  readonly updated: PlanUpdated;
}

/** Updates of other clients may come in between: the difference is then found again. */
const ATTEMPTS = 3;

/**
 * Changes a workflow into what the plan would create: one request, applied as a whole. What is up to date keeps its
 * results.
 *
 * Refuses new input files that do not exist and that no job makes (`INPUT_MISSING`).
 */
export async function updateFromPlan(
  client: Client,
  workflowId: number,
  plan: Plan,
  { isDryRun, specFile }: UpdateOptions,
): Promise<UpdatedPlan> {
  for (let attempt = 1; ; attempt += 1) {
    const difference = diffPlan(plan, await storedPlan(client, workflowId).catch(noPlanUpdates), specFile);
    await noteTimes(plan, difference);
    try {
      const updated = await client.updatePlan({
        params: { id: workflowId },
        query: { dry_run: isDryRun },
        body: difference.update,
      });
      return { difference, updated };
    } catch (error) {
      const isOutdated =
        error instanceof ServiceError && (error.code === 'DUPLICATE' || error.code === 'REFERENCE_UNKNOWN');
      if (!isOutdated || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Torc's own server has no such route, nor have earlier versions of ours. */
export function noPlanUpdates(error: unknown): never {
  if (!isUnknownRoute(error)) throw error;
  const message =
    'this server cannot change the plan of a workflow, as Torc 1.0.0; torc jobs create and torc jobs update change jobs that are uninitialized, torc run FILE --new creates another workflow';
  throw new Refusal('ROUTE_UNKNOWN', message, {}, { cause: error });
}

/** Adds the modification times of new files that jobs read, as a creation does. */
async function noteTimes(plan: Plan, { update }: PlanDifference): Promise<void> {
  const { add = [], change = [] } = update.files ?? {};
  const records = [...(add ?? []), ...(change ?? []).map(({ record }) => record)];
  if (records.length === 0) return;
  const made = new Set(plan.producedFiles());
  const read = new Set<string>();
  for (const number of plan.consumedFiles()) if (!made.has(number)) read.add(plan.files.at(number).name);
  const missing: string[] = [];
  for (const record of records) {
    if (!read.has(record.name)) continue;
    const stats = await stat(record.path).catch(() => undefined);
    if (stats === undefined) missing.push(record.path);
    else record.st_mtime ??= stats.mtimeMs / 1000;
  }
  const isOne = missing.length === 1;
  if (missing.length > 0)
    throw new Refusal(
      'INPUT_MISSING',
      `${counted(missing.length, 'new input file')} must exist and ${isOne ? 'does' : 'do'} not, and no job makes ${isOne ? 'it' : 'them'}: ${someOf(missing)}`,
    );
}
