import type { File } from '../../core/contract/artifact.ts';
import type { Completion } from '../../core/contract/exchange.ts';
import type { Client } from '../client.ts';
import { isOfRequest } from './refused.ts';

/** The file records of the outputs of claimed jobs, each read once. */
export interface Files {
  /** The files that exist, in the order of the ids. */
  of(ids: readonly number[]): Promise<{ readonly id: number; readonly path: string }[]>;
  /** Stores the modification times of outputs. */
  storeTimes(times: NonNullable<Completion['files']>): Promise<void>;
}

export function createFiles(client: Client): Files {
  const known = new Map<number, File>();

  const read = async (id: number): Promise<File | undefined> => {
    const before = known.get(id);
    if (before !== undefined) return before;
    try {
      const file = await client.getFile({ params: { id } });
      known.set(id, file);
      return file;
    } catch (error) {
      // Deleted since the job was created: no output is expected there any more.
      if (isOfRequest(error)) return undefined;
      throw error;
    }
  };

  return {
    async of(ids) {
      const files = await Promise.all(ids.map(async (id) => ({ id, file: await read(id) })));
      return files.flatMap(({ id, file }) => (file === undefined ? [] : [{ id, path: file.path }]));
    },
    async storeTimes(times) {
      for (const { id, st_mtime } of times) {
        const file = await read(id);
        if (file === undefined) continue;
        const { workflow_id, name, path } = file;
        try {
          await client.updateFile({ params: { id }, body: { workflow_id, name, path, st_mtime } });
        } catch (error) {
          if (!isOfRequest(error)) throw error;
        }
      }
    },
  };
}
