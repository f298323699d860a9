import * as z from 'zod';
import { page, stored } from '../shape.ts';
import { BULK_MEBIBYTES, deletedCount, ofId, ofOneWorkflow, ofWorkflow, type RecordTable } from './route.ts';

/** Records that belong to a workflow and that one set of paths creates, lists, reads, changes and deletes. */
interface RecordOf<Path extends string, Table extends RecordTable, Shape extends z.core.$ZodShape> {
  readonly path: Path;
  readonly table: Table;
  /** A record of a request. */
  readonly shape: z.ZodObject<Shape>;
}

/**
 * The routes that most records have, each as a function of what it does. A route that differs in a part replaces that
 * part: `{ ...files.delete('Delete a file record.'), kind: 'work' }`.
 */
export const recordRoutes = <
  const Path extends string,
  const Table extends RecordTable,
  Shape extends z.core.$ZodShape,
>({
  path,
  table,
  shape,
}: RecordOf<Path, Table, Shape>) => {
  const reply = stored(shape);
  const all = { path } as const;
  const one = { path: `${path}/{id}`, access: `workflow of ${table}`, params: ofId } as const;
  return {
    create: (says: string) =>
      ({ ...all, method: 'POST', kind: 'write', access: 'workflow in body', says, body: shape, reply }) as const,
    /** All or none; `key` names the list of the records in the request and in the reply. */
    createMany: <const Key extends string>(key: Key, says: string) => {
      const body = z.object({ [key]: z.array(shape) } as Record<Key, z.ZodArray<typeof shape>>);
      const replies = z.object({ [key]: z.array(reply) } as Record<Key, z.ZodArray<typeof reply>>);
      const parts = { body, reply: replies, bodyMebibytes: BULK_MEBIBYTES };
      const bulk = `/bulk_${path.slice(1)}`;
      return { method: 'POST', path: bulk, kind: 'write', access: 'workflow in entries', says, ...parts } as const;
    },
    list: <Filters extends z.ZodRawShape = Record<never, never>>(says: string, filters: Filters = {} as Filters) =>
      ({
        ...all,
        method: 'GET',
        kind: 'read',
        access: 'workflow in query',
        says,
        query: ofWorkflow.extend(filters),
        reply: page(reply),
        reads: 'page',
      }) as const,
    get: (says: string) => ({ ...one, method: 'GET', kind: 'read', says, reply }) as const,
    update: <Change extends z.ZodType>(says: string, body: Change) =>
      ({ ...one, method: 'PUT', kind: 'write', says, body, reply }) as const,
    delete: (says: string) => ({ ...one, method: 'DELETE', kind: 'write', says, reply }) as const,
    deleteAll: (says: string) =>
      ({
        ...all,
        method: 'DELETE',
        kind: 'write',
        access: 'workflow in query',
        says,
        query: ofOneWorkflow,
        reply: deletedCount,
      }) as const,
  };
};
