import type { Client } from '../client/client.ts';
import { initialize, type InitializeOptions } from './initialize.ts';
import type { Resumed } from './resume.ts';

interface PrepareOptions extends Pick<InitializeOptions, 'report'> {
  /** Which jobs of an earlier run are made ready again: none, those that were interrupted, or also those that failed. */
  readonly again: 'none' | 'interrupted' | 'failed';
}

/**
 * Prepares a workflow for a runner: initializes one that never was, and makes jobs of an earlier run ready again where
 * that is asked for. Returns what a resume has changed.
 */
export async function prepareRun(
  client: Client,
  workflowId: number,
  { again, report }: PrepareOptions,
): Promise<Resumed | undefined> {
  const { is_uninitialized: isFresh } = await client.isUninitialized({ params: { id: workflowId } });
  if (isFresh) {
    await initialize(client, workflowId, { force: false, report });
    return undefined;
  }
  if (again === 'none') return undefined;
  const { resume } = await import('./resume.ts');
  return resume(client, workflowId, { retriesFailed: again === 'failed', report });
}
