import { basename } from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import { VERSION } from '../../../core/contract/version.ts';
import type { WorkflowRow } from '../../records/rows/workflow.ts';
import { byId } from '../../store/rows.ts';
import type { WorkSteps } from '../../store/work.ts';
import type { InitializeQueries } from './queries.ts';

/**
 * The entities of the research object (RO-Crate) that an initialization creates: the server, and, if the workflow
 * requests provenance, each existing file. An existing entity of a file keeps its name and its other properties.
 */
export function* describeCrate(
  queries: InitializeQueries,
  { id: workflowId, run_id: runId, enable_ro_crate: isWanted }: WorkflowRow,
): WorkSteps {
  const server = `#software-torc-server-run-id-${runId}`;
  queries.addEntity.run({
    workflowId,
    fileId: null,
    entityId: server,
    type: 'SoftwareApplication',
    metadata: JSON.stringify({
      '@id': server,
      '@type': ['SoftwareApplication', 'prov:SoftwareAgent'],
      name: 'torc-server',
      version: VERSION,
    }),
  });
  if (isWanted !== 1) return;
  yield* byId(
    A_PAGE,
    (page) => queries.crateFiles.all({ workflowId, ...page }),
    (file) => describe(queries, workflowId, file),
  );
}

/** Files described at a time: about 1 ms. */
const A_PAGE = 100;

function describe(
  queries: InitializeQueries,
  workflowId: number,
  { id, path, st_mtime: seconds, entity_id: before }: ReturnType<InitializeQueries['crateFiles']['all']>[number],
): void {
  const entityId = before ?? path;
  queries.addEntity.run({
    workflowId,
    fileId: id,
    entityId,
    type: 'File',
    metadata: JSON.stringify({
      '@id': entityId,
      '@type': ['File', 'prov:Entity'],
      name: basename(path),
      encodingFormat: getMimeType(path)?.replace(/;.*$/, '') ?? 'application/octet-stream',
      dateModified: new Date(seconds * 1000).toISOString(),
    }),
  });
}
