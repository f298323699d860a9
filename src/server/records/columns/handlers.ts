import { statusOf } from '../../../core/contract/job.ts';
import {
  COLUMNS_BYTES,
  COLUMNS_LIMIT,
  type FileColumns,
  type InputColumns,
  type JobColumns,
  type UserDataColumns,
} from '../../../core/contract/plan-columns.ts';
import { jobFields, type PageName, pageNames } from '../../../core/job/fields.ts';
import type { Handlers } from '../../handlers.ts';
import type { Statement } from '../../store/database.ts';
import type { Store } from '../store.ts';
import { type ColumnPage, columnQueries } from './queries.ts';

interface ColumnsQuery {
  readonly after_id?: number | undefined;
  readonly limit?: number | undefined;
}

/** Reads the records of a workflow as columns. */
export const columnHandlers = ({ db, find }: Store) => {
  const queries = columnQueries(db);

  function read<Columns extends { id: number[] }>(
    statement: Statement<ColumnPage, Record<string, string>>,
    workflowId: number,
    { after_id: after = 0, limit = COLUMNS_LIMIT }: ColumnsQuery,
  ): { columns: Columns; has_more: boolean } {
    find.workflow(workflowId);
    const row = statement.get({ workflowId, after, limit }) ?? {};
    const columns = parsedColumns<Columns>(row);
    return { columns, has_more: columns.id.length === limit };
  }

  function readStamps(
    statement: typeof queries.inputs,
    workflowId: number,
    {
      after_id: after = 0,
      after_file_id: afterFile = 0,
      limit = COLUMNS_LIMIT,
    }: ColumnsQuery & { after_file_id?: number | undefined },
  ) {
    find.workflow(workflowId);
    const columns = parsedColumns<InputColumns>(statement.get({ workflowId, after, afterFile, limit }) ?? {});
    return { columns, has_more: columns.id.length === limit };
  }

  /** The lists of ids of each job of a page. */
  function relationsOf(workflowId: number, after: number, ids: readonly number[]) {
    const upto = ids.at(-1) ?? after;
    return Object.fromEntries(
      queries.relations.map(({ list, pairs }) => {
        const { jobs = '[]', others = '[]' } = pairs.get({ workflowId, after, upto }) ?? {};
        return [list, grouped(ids, JSON.parse(jobs) as number[], JSON.parse(others) as number[])];
      }),
    ) as Pick<JobColumns, (typeof queries.relations)[number]['list']>;
  }

  return {
    readJobColumns({ params: { id }, query }) {
      const { columns, ...page } = read<StoredColumns>(queries.jobs, id, query);
      return {
        ...page,
        columns: {
          ...jobColumnsOf(columns),
          result_id: columns.result_id,
          ...relationsOf(id, query.after_id ?? 0, columns.id),
        },
      };
    },
    readUserDataColumns({ params: { id }, query: { after_id: after = 0, limit = COLUMNS_LIMIT } }) {
      find.workflow(id);
      const row = queries.userData.get({ workflowId: id, after, limit, most: COLUMNS_BYTES }) ?? {};
      const columns = parsedColumns<StoredUserData>(row);
      const last = columns.id.at(-1);
      return {
        columns: { ...columns, is_ephemeral: columns.is_ephemeral.map((value) => value === 1) },
        has_more: last !== undefined && queries.hasMoreUserData.get({ workflowId: id, after: last })?.found === 1,
      };
    },
    readInputColumns: ({ params, query }) => readStamps(queries.inputs, params.id, query),
    readOutputColumns: ({ params, query }) => readStamps(queries.outputs, params.id, query),
    readFileColumns({ params, query }) {
      const { columns, ...page } = read<StoredFiles>(queries.files, params.id, query);
      const [temporary, isProtected] = [flagsOf(columns.temporary), flagsOf(columns.protected)];
      return { ...page, columns: { ...columns, temporary, protected: isProtected } };
    },
  } satisfies Partial<Handlers>;
};

type JobPage = Pick<JobColumns, PageName>;

/** The columns of jobs as the database has them: flags and statuses are numbers. */
type StoredColumns = { readonly [Name in PageName]: readonly unknown[] } & Pick<JobColumns, 'id' | 'result_id'>;

const jobColumnsOf = (stored: StoredColumns): JobPage =>
  Object.fromEntries(pageNames.map((name) => [name, columnOf(stored[name], jobFields[name].kind)])) as JobPage;

function columnOf(values: readonly unknown[], kind: string): readonly unknown[] {
  if (kind === 'flag') return flagsOf(values as StoredFlags);
  return kind === 'status' ? values.map((value) => statusOf(value as number)) : values;
}

type StoredFlags = readonly (number | null)[];
type StoredFiles = Omit<FileColumns, 'temporary' | 'protected'> & Record<'temporary' | 'protected', StoredFlags>;
const flagsOf = (values: StoredFlags) => values.map((value) => (value === null ? null : value === 1));

type StoredUserData = Omit<UserDataColumns, 'is_ephemeral'> & { readonly is_ephemeral: readonly number[] };

const parsedColumns = <Columns>(row: Readonly<Record<string, string>>): Columns =>
  Object.fromEntries(Object.entries(row).map(([name, text]) => [name, JSON.parse(text)])) as Columns;

/** For each id the others that it is paired with; null for none. Both ids and pairs are in order. */
function grouped(ids: readonly number[], jobs: readonly number[], others: readonly number[]): (number[] | null)[] {
  let at = 0;
  return ids.map((id) => {
    const from = at;
    while (jobs[at] === id) at += 1;
    return at === from ? null : others.slice(from, at);
  });
}
