import type { Permissions } from '../caller.ts';
import type { Handlers } from '../handlers.ts';
import { columnHandlers } from './columns/handlers.ts';
import { entityHandlers } from './crate-entity/handlers.ts';
import { createDeletion } from './deletion/deletion.ts';
import { deletionQueries } from './deletion/queries.ts';
import { eventHandlers } from './event/handlers.ts';
import { failureHandlerHandlers } from './failure-handler/handlers.ts';
import { fileHandlers } from './file/handlers.ts';
import { unneededFileQueries } from './file/removal-queries.ts';
import { createUnneededFiles } from './file/unneeded.ts';
import { createEdges } from './edges/edges.ts';
import { jobHandlers } from './job/handlers.ts';
import { nodeHandlers } from './node/handlers.ts';
import { requirementsHandlers } from './requirements/handlers.ts';
import { resultRecordHandlers } from './result/handlers.ts';
import { schedulerHandlers } from './scheduler/handlers.ts';
import type { Store } from './store.ts';
import { userDataHandlers } from './user-data/handlers.ts';
import { workflowHandlers } from './workflow/handlers.ts';

/** Creates, reads, lists, changes and deletes records. Each kind of record has a directory. */
export const recordHandlers = (store: Store, permissions: Permissions) => {
  const edges = createEdges(store.db, store.windows);
  const unneededFiles = createUnneededFiles(unneededFileQueries(store.db));
  const deletion = createDeletion(store, deletionQueries(store.db), edges, unneededFiles);
  return {
    ...workflowHandlers(store, permissions, edges),
    ...jobHandlers(store, deletion, edges),
    ...fileHandlers(store, deletion),
    ...userDataHandlers(store, deletion),
    ...requirementsHandlers(store),
    ...resultRecordHandlers(store, deletion),
    ...eventHandlers(store, deletion),
    ...nodeHandlers(store, deletion),
    ...schedulerHandlers(store),
    ...failureHandlerHandlers(store),
    ...entityHandlers(store),
    ...columnHandlers(store),
  } satisfies Partial<Handlers>;
};
