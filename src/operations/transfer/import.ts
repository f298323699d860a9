import type { Client } from '../../client/client.ts';
import type { Lists } from '../../core/lists/int-list.ts';
import { checkedLevels } from './check.ts';
import { type Exported, readDocument } from './document.ts';
import { type ImportOptions, recreate } from './recreate.ts';

/** An exported workflow that can be imported. */
export interface CheckedImport {
  readonly document: Exported;
  readonly levels: Lists;
}

/** Reads and checks the text of an exported workflow, without a server. Throws `IMPORT_REFUSED` with all problems. */
export function readImport(text: string, fileName: string): CheckedImport {
  const document = readDocument(text, fileName);
  return { document, levels: checkedLevels(document, fileName) };
}

/** Creates the workflow with new ids, its jobs uninitialized. All of it is created, or nothing. */
export async function importWorkflow(client: Client, { document, levels }: CheckedImport, options: ImportOptions) {
  const id = await recreate(client, document, levels, options);
  const { includesResults } = options;
  return {
    id,
    name: options.name ?? document.workflow.name,
    counts: {
      jobs: document.jobs.length,
      files: document.files.length,
      user_data: document.user_data.length,
      results: includesResults ? document.results.length : 0,
      compute_nodes: includesResults ? document.compute_nodes.length : 0,
    },
  };
}
