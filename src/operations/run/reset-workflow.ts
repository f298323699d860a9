import type { Client } from '../../client/client.ts';
import { beginRun } from './begin-run.ts';
import { type InitializeOptions, reinitialize } from './initialize.ts';

interface ResetWorkflowOptions extends InitializeOptions {
  /** Only jobs that failed, were terminated or canceled, and everything downstream of them. */
  readonly failedOnly: boolean;
  /** And makes them ready at once. */
  readonly reinitializes: boolean;
}

export interface ResetWorkflow {
  /** Jobs that were reset; undefined if that was refused. */
  readonly updatedCount: number | undefined;
  readonly isReinitialized: boolean;
  /** Why a step after the beginning of the new run failed; the steps before it stay. */
  readonly error: Error | undefined;
}

/** Begins a new run with jobs uninitialized. Throws only if no new run began: then nothing has changed. */
export async function resetWorkflow(
  client: Client,
  workflowId: number,
  { failedOnly, reinitializes, force, report }: ResetWorkflowOptions,
): Promise<ResetWorkflow> {
  const params = { id: workflowId };
  await beginRun(client, workflowId, { force, report });
  let updatedCount: number | undefined;
  try {
    const query = { failed_only: failedOnly || undefined };
    updatedCount = (await client.resetJobStatus({ params, query })).updated_count;
    if (reinitializes) await reinitialize(client, workflowId, { force, report, newRun: false });
    return { updatedCount, isReinitialized: reinitializes, error: undefined };
  } catch (error) {
    return { updatedCount, isReinitialized: false, error: error as Error };
  }
}
