import type { FileRemovals, MadeFile } from '../../../core/contract/artifact.ts';
import type { Store } from '../store.ts';
import { removalQueueQueries, type RemovingRunner } from './removal-queries.ts';

/**
 * The temporary files of workflows that can be deleted. The server gives a file to one runner, which deletes it
 * and reports that. If that runner ends before, the next runner of the workflow gets the file.
 *
 * A file is given after the end of its last reader was stored, in a later transaction: a runner that is killed in between loses nothing.
 */
export const createFileRemovalQueue = ({ db }: Pick<Store, 'db'>) => {
  const { hasFiles, free, give, end, clean } = removalQueueQueries(db);
  return {
    /** Whether the runner can take any. */
    hasFiles: (runner: RemovingRunner): boolean => hasFiles.get({ ...runner }) !== undefined,
    /** Stores what became of files, and gives the runner others. */
    settle(workflowId: number, { compute_node_id: node, removed, limit }: FileRemovals): MadeFile[] {
      const nodeId = node ?? undefined;
      for (const { id, removal, removed_bytes: bytes = null } of removed)
        if (nodeId === undefined) clean.run({ id, workflowId, removal, bytes });
        else end.run({ id, workflowId, nodeId, removal, bytes });
      if (nodeId === undefined || limit === 0) return [];
      const files = free.all({ workflowId, nodeId, limit });
      if (files.length > 0) give.run({ nodeId, ids: JSON.stringify(files.map(({ id }) => id)) });
      return files;
    },
  };
};
