import type { Database } from '../store/database.ts';
import { createListing, type Listing } from '../store/listing.ts';
import { type Find, foundRow } from './find.ts';

/** A kind of record: how one is read, and how one or all of a workflow are removed. */
export interface RecordAccess<Model> {
  readonly table: string;
  get(id: number): Model | undefined;
  remove(id: number): void;
  /** Returns their number. */
  removeAll(workflowId: number): number;
}

export function records<Row, Model>(
  db: Database,
  table: string,
  columns: string,
  from: string,
  modelOf: (row: Row) => Model,
): RecordAccess<Model> {
  const get = db.prepare<{ id: number }, Row>(`select ${columns} from ${from} where ${table}.id = :id`);
  const remove = db.prepare<{ id: number }>(`delete from ${table} where id = :id`);
  const removeAll = db.prepare<{ workflowId: number }>(`delete from ${table} where workflow_id = :workflowId`);
  return {
    table,
    get(id) {
      const row = get.get({ id });
      return row === undefined ? undefined : modelOf(row);
    },
    remove: (id) => void remove.run({ id }),
    removeAll: (workflowId) => removeAll.run({ workflowId }),
  };
}

/** The same with a list of them. */
export function recordTable<Query extends object, Row, Model>(
  db: Database,
  listing: Listing<Query>,
  modelOf: (row: Row) => Model,
) {
  const { table, columns = `${table}.*`, from = table } = listing;
  return {
    ...records(db, table, columns, from, modelOf),
    list: createListing<Query, Row, Model>(db, listing, modelOf),
  };
}

/** Lists records of a workflow, which the query names and which must be there. */
export const listByQuery =
  <Query extends { readonly workflow_id: number }, Page>({ workflow }: Find, list: (query: Query) => Page) =>
  ({ query }: { readonly query: Query }): Page => {
    workflow(query.workflow_id);
    return list(query);
  };

/** The same where the path names the workflow. */
export const listByPath =
  <Query extends object, Page>({ workflow }: Find, list: (query: Query & { readonly workflow_id: number }) => Page) =>
  ({ params: { id }, query }: { readonly params: { readonly id: number }; readonly query: Query }): Page => {
    workflow(id);
    return list({ ...query, workflow_id: id });
  };

export type Partly<Model> = { [F in keyof Model]?: Model[F] | undefined };

/** Merges the given fields into the present ones: absent and null keep the present value. */
export function merged<Model extends object>(before: Model, given: Partly<Model>): Model {
  const set = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  return { ...before, ...(Object.fromEntries(set) as Partial<Model>) };
}

export const read = <Model>(records: RecordAccess<Model>, id: number): Model =>
  foundRow(records.get(id), records.table, id);

/** Deletes one record and returns it. */
export function removeRecord<Model>(records: RecordAccess<Model>, id: number): Model {
  const model = read(records, id);
  records.remove(id);
  return model;
}

/** Deletes all records of a workflow and returns their number. */
export function removeAll({ workflow }: Find, records: RecordAccess<unknown>, workflowId: number): number {
  workflow(workflowId);
  return records.removeAll(workflowId);
}
