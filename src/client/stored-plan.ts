import type { FileColumns, InputColumns, UserDataColumns } from '../core/contract/plan-columns.ts';
import type { ReadInput } from '../core/lifecycle/rerun/out-of-date.ts';
import type { StoredFile, StoredJob, StoredPlan, StoredUserData } from '../core/workflow-file/update/stored.ts';
import type { Client } from './client.ts';
import { all } from './every.ts';
import { jobOfColumns } from './job-of-columns.gen.ts';

/** A workflow of the service with all records of its plan. */
export async function storedPlan(client: Client, id: number): Promise<StoredPlan> {
  const params = { id };
  const of = { workflow_id: id };
  // At the same time: while the client reads one page, the server writes the next.
  const [workflow, jobs, files, userData, requirements, schedulers, handlers, actions] = await Promise.all([
    client.getWorkflow({ params }),
    storedJobs(client, id),
    storedFiles(client, id),
    rows((query) => client.readUserDataColumns({ params, query }), userDataAt),
    all((page) => client.listResourceRequirements({ query: { ...of, ...page } })),
    all((page) => client.listSlurmSchedulers({ query: { ...of, ...page } })),
    all((page) => client.listFailureHandlers({ params, query: page })),
    client.listWorkflowActions({ params }),
  ]);
  const allocatedSchedulers = await allocated(client, id, schedulers);
  return { workflow, jobs, files, userData, requirements, schedulers, allocatedSchedulers, handlers, actions };
}

async function allocated(
  client: Client,
  workflowId: number,
  schedulers: StoredPlan['schedulers'],
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for (const { id } of schedulers) {
    const query = { workflow_id: workflowId, scheduler_config_id: id, limit: 1 };
    if ((await client.listScheduledComputeNodes({ query })).items.length > 0) found.add(id);
  }
  return found;
}

/** The jobs of a workflow with their relationships. */
export const storedJobs = (client: Client, id: number): Promise<StoredJob[]> =>
  rows((query) => client.readJobColumns({ params: { id }, query }), jobOfColumns);

/** The files of a workflow. */
export const storedFiles = (client: Client, id: number): Promise<StoredFile[]> =>
  rows((query) => client.readFileColumns({ params: { id }, query }), fileAt);

type Stamp = ReadInput & { readonly job_id: number };

/** The inputs of jobs as their last attempts found them. */
export const readInputs = (client: Client, id: number): Promise<Stamp[]> =>
  stamps((query) => client.readInputColumns({ params: { id }, query }));

/** The outputs of jobs as the last attempts that wrote them left them. */
export const readOutputs = (client: Client, id: number): Promise<Stamp[]> =>
  stamps((query) => client.readOutputColumns({ params: { id }, query }));

async function stamps(
  fetch: (query: { after_id?: number; after_file_id?: number }) => Promise<Page<InputColumns>>,
): Promise<Stamp[]> {
  const found: Stamp[] = [];
  for (let query: { after_id?: number; after_file_id?: number } = {}; ;) {
    const { columns, has_more: hasMore } = await fetch(query);
    for (let index = 0; index < columns.id.length; index += 1) {
      const [job, file] = [at(columns.id, index), at(columns.file_id, index)];
      found.push({
        job_id: job,
        file_id: file,
        st_mtime: at(columns.st_mtime, index),
        st_size: at(columns.st_size, index),
        hash: columns.hash?.[index] ?? undefined,
      });
      query = { after_id: job, after_file_id: file };
    }
    if (!hasMore) return found;
  }
}

interface Page<Columns> {
  readonly columns: Columns;
  readonly has_more: boolean;
}

/** All records that the service sends as columns. */
async function rows<Columns extends { readonly id: readonly number[] }, Row>(
  fetch: (query: { after_id: number }) => Promise<Page<Columns>>,
  rowAt: (columns: Columns, index: number) => Row,
): Promise<Row[]> {
  const found: Row[] = [];
  for (let after = 0; ;) {
    const { columns, has_more: hasMore } = await fetch({ after_id: after });
    for (let index = 0; index < columns.id.length; index += 1) found.push(rowAt(columns, index));
    const last = columns.id.at(-1);
    if (!hasMore || last === undefined) return found;
    after = last;
  }
}

const fileAt = (of: FileColumns, index: number): StoredFile => ({
  id: at(of.id, index),
  name: at(of.name, index),
  path: at(of.path, index),
  // Absent from earlier versions of ours.
  st_mtime: of.st_mtime?.[index],
  ...(of.temporary?.[index] === true && { temporary: true }),
  ...(of.protected?.[index] === true && { protected: true }),
  ...(of.removal?.[index] && { removal: of.removal[index] }),
});

const userDataAt = (of: UserDataColumns, index: number): StoredUserData => ({
  id: at(of.id, index),
  name: at(of.name, index),
  data: at(of.data, index),
  is_ephemeral: at(of.is_ephemeral, index),
});

const at = <Value>(column: readonly Value[], index: number) => column[index] as Value;
