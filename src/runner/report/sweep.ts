import type { Client } from '../../client/client.ts';
import { inParallel } from '../../client/compat/in-parallel.ts';
import { removeMade } from '../../cluster/made-file.ts';
import type { FileRemovals, MadeFile } from '../../core/contract/artifact.ts';
import type { Swept } from '../facts/options.ts';
import type { CurrentRun } from '../ledger/current-run.ts';

/** Files in one reply, and files deleted at once. */
const MOST_FILES = 200;
const TOGETHER = 16;

export type Sweep = ReturnType<typeof createSweep>;

/**
 * Deletes the temporary files of a workflow that the server gives this runner. The server gives a file to one runner, after it has stored
 * the end of the last reader.
 *
 * What became of them is reported with the next request. A runner that is killed before leaves that to the next one, which finds no file.
 */
export function createSweep({
  client,
  run: { workflowId, runId, log },
  nodeId,
}: {
  readonly client: Pick<Client, 'removeFiles'>;
  readonly run: Pick<CurrentRun, 'workflowId' | 'runId' | 'log'>;
  readonly nodeId: number;
}) {
  const swept = { files: 0, bytes: 0, kept: 0 };
  let removed: FileRemovals['removed'] = [];
  let atWork: Promise<void> | undefined;
  let wasAskedMeanwhile = false;

  const remove = async ({ id, path, ...made }: MadeFile) => {
    const found = await removeMade(path, made);
    if (found.removal === 'deleted') {
      swept.files += 1;
      swept.bytes += found.removed_bytes;
      return { id, ...found };
    }
    swept.kept += 1;
    const reason = found.removal === 'failed' ? found.reason : undefined;
    log.write('warn', KEPT[found.removal], { path, reason });
    return { id, removal: found.removal };
  };

  /** Until there is none; what could not be reported is reported by the next one. */
  const work = async () => {
    do {
      wasAskedMeanwhile = false;
      for (let files: MadeFile[] | undefined; files === undefined || files.length > 0 || removed.length > 0;) {
        const body = { run_id: runId, compute_node_id: nodeId, removed, limit: MOST_FILES };
        ({ files } = await client.removeFiles({ params: { id: workflowId }, body }));
        removed = await inParallel(files, TOGETHER, remove);
      }
    } while (wasAskedMeanwhile);
  };

  const begin = () => {
    wasAskedMeanwhile = true;
    atWork ??= work()
      .catch((error: unknown) => log.write('warn', 'Temporary files are left', { reason: (error as Error).message }))
      .finally(() => (atWork = undefined));
  };

  return {
    swept: swept as Swept,
    /** The server has files for it. */
    begin,
    /** Resolves when it has deleted all that it was given. */
    async finish(): Promise<void> {
      if (removed.length > 0) begin();
      await atWork;
    },
  };
}

const KEPT = {
  absent: 'A temporary file is not there: it is in another file system, or was deleted',
  changed: 'A temporary file is kept: it has changed since its job made it',
  failed: 'A temporary file could not be deleted',
} as const;
