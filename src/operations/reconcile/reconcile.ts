import type { Client } from '../../client/client.ts';
import { findJournals, type UnreadableFolder } from './find.ts';
import { type Rejection, type Replayed, replayJournals } from './replay.ts';

interface ReconcileOptions {
  readonly workflowId: number;
  readonly runId: number;
  /** The output folder of the runners, or one above. */
  readonly baseDir: string;
}

export interface Reconciled {
  readonly unreadable: readonly UnreadableFolder[];
  readonly files: readonly Replayed[];
  readonly rejections: readonly Rejection[];
  readonly total: number;
  readonly accepted: number;
}

/**
 * Sends the results in the journals of the runners of a run to the server.
 *
 * It can be repeated at any time: the server refuses results that it knows. Throws `FILE_UNREADABLE` for the folder.
 */
export async function reconcile(client: Client, { workflowId, runId, baseDir }: ReconcileOptions): Promise<Reconciled> {
  const { journals, unreadable } = await findJournals(baseDir, workflowId, runId);
  const { files, rejections } = await replayJournals(client, workflowId, journals);
  return {
    unreadable,
    files,
    rejections,
    total: files.reduce((sum, { completions }) => sum + completions, 0),
    accepted: files.reduce((sum, { accepted }) => sum + accepted, 0),
  };
}
