import type { Client } from '../../client/client.ts';
import type { Workflow } from '../../core/contract/workflow.ts';

interface Sought {
  readonly user: string;
  /** The name in the file. */
  readonly name: string;
  /** The absolute path of the file; undefined for standard input. */
  readonly specFile: string | undefined;
  readonly fileExists: (path: string) => boolean;
}

/** In a longer list a user cannot find the right one either. */
const MOST = 20;

/**
 * The workflows of a user that a file may be an update of, the newest first: those that were created from it, or else those with
 * its name whose own file is unknown or gone. Archived ones and those that are incomplete do not count.
 */
export async function recognized(
  client: Client,
  { user, name, specFile, fileExists }: Sought,
): Promise<readonly Workflow[]> {
  const listed = async (by: { readonly name: string } | { readonly spec_file: string }) => {
    const query = { user, ...by, is_archived: false, sort_by: 'id', reverse_sort: true, limit: MOST } as const;
    const { items } = await client.listWorkflows({ query });
    return items.filter(({ is_being_created: isIncomplete }) => isIncomplete !== true);
  };
  // Torc's own server ignores the filter, and has no such workflows.
  const ofFile =
    specFile === undefined
      ? []
      : (await listed({ spec_file: specFile })).filter(({ spec_file: path }) => path === specFile);
  if (ofFile.length > 0) return ofFile;
  // Another file that has the same name in it is a workflow of its own, as in two folders of one user.
  const isOfOther = ({ spec_file: path }: Workflow) =>
    specFile !== undefined && typeof path === 'string' && fileExists(path);
  return (await listed({ name })).filter((workflow) => !isOfOther(workflow));
}
