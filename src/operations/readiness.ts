import { stat } from 'node:fs/promises';
import type { Client } from '../client/client.ts';
import { all } from '../client/every.ts';
import type { File } from '../core/contract/artifact.ts';

/** Files checked together: they may be on a slow file system. */
const TOGETHER = 32;

/** What prevents an initialization, and which files it would overwrite. */
export interface Readiness {
  /** Nothing prevents it. */
  readonly isSafe: boolean;
  /** Paths of files that must exist and do not. */
  readonly missingInputs: readonly string[];
  /** Ids of user data without a value that jobs read and no job produces. */
  readonly missingUserData: readonly number[];
  readonly existingOutputs: readonly string[];
  readonly files: readonly FileOnDisk[];
}

export interface FileOnDisk {
  readonly file: File & { id: number };
  /** Undefined if it does not exist. */
  readonly mtime: number | undefined;
}

/** Checks all files of a workflow on this machine: missing required ones, and existing ones that will be produced. */
export async function readiness(client: Client, workflowId: number): Promise<Readiness> {
  const files = await filesOnDisk(client, workflowId);
  const required = new Set((await client.listRequiredExistingFiles({ params: { id: workflowId } })).files);
  const outputs = await outputIds(client, workflowId);
  const { user_data: missingUserData } = await client.listMissingUserData({ params: { id: workflowId } });
  const missingInputs = files
    .filter(({ file, mtime }) => required.has(file.id) && !outputs.has(file.id) && mtime === undefined)
    .map(({ file }) => file.path);
  return {
    isSafe: missingInputs.length === 0 && missingUserData.length === 0,
    files,
    missingInputs,
    missingUserData,
    existingOutputs: files
      .filter(({ file, mtime }) => outputs.has(file.id) && mtime !== undefined)
      .map(({ file }) => file.path),
  };
}

async function filesOnDisk(client: Client, workflowId: number): Promise<FileOnDisk[]> {
  const files = await all((page) => client.listFiles({ query: { workflow_id: workflowId, ...page } }));
  const found: FileOnDisk[] = [];
  for (let at = 0; at < files.length; at += TOGETHER) {
    const looked = files.slice(at, at + TOGETHER).map(async (file) => {
      const stats = await stat(file.path).catch(() => undefined);
      return { file: file as File & { id: number }, mtime: stats === undefined ? undefined : stats.mtimeMs / 1000 };
    });
    for (const each of await Promise.all(looked)) found.push(each);
  }
  return found;
}

async function outputIds(client: Client, workflowId: number): Promise<Set<number>> {
  const outputs = await all((page) =>
    client.listFiles({ query: { workflow_id: workflowId, is_output: true, ...page } }),
  );
  return new Set(outputs.map(({ id }) => id));
}
