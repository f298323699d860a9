import { all } from '../client/every.ts';
import type { Client } from '../client/client.ts';
import type { Backend } from './tool.ts';

/** Parameters that are ids of workflows and jobs, and may be names. */
const [WORKFLOW, JOB] = ['workflow_id', 'job_id'];

/**
 * The parameters of a call with the id in the place of each name of a workflow or a job, also within lists.
 *
 * Digits are always an id. A name that several have is refused with their ids: to take the newest would change the wrong one.
 */
export async function withIds<Given>(given: Given, backend: Pick<Backend, 'client' | 'user'>): Promise<Given> {
  if (!hasName(given)) return given;
  const client = await backend.client();
  const { [WORKFLOW]: named } = given as Readonly<Record<string, unknown>>;
  const workflow = typeof named === 'string' ? await workflowIdOf(client, named, backend.user) : named;
  const found = async (value: unknown, key?: string): Promise<unknown> => {
    if (key === WORKFLOW) return workflow;
    if (key === JOB && typeof value === 'string')
      return jobIdOf(client, value, workflow as number | undefined, backend.user);
    if (Array.isArray(value)) return Promise.all(value.map((each) => found(each)));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(async ([name, part]) => [name, await found(part, name)] as const);
    return Object.fromEntries(await Promise.all(entries));
  };
  return (await found(given)) as Given;
}

const hasName = (value: unknown, key?: string): boolean =>
  typeof value === 'string'
    ? key === WORKFLOW || key === JOB
    : typeof value === 'object' && value !== null && Object.entries(value).some(([name, part]) => hasName(part, name));

const DIGITS = /^\d+$/;

async function workflowIdOf(client: Client, name: string, user: string | undefined): Promise<number> {
  if (DIGITS.test(name)) return Number(name);
  const found = await all((page) => client.listWorkflows({ query: { user, name, is_archived: false, ...page } }));
  return onlyOf(
    idsWith(found, name),
    `workflow${user === undefined ? '' : ` of user ${user}`}`,
    name,
    'list_workflows lists them',
  );
}

async function jobIdOf(client: Client, name: string, workflow: number | undefined, user: string | undefined) {
  if (DIGITS.test(name)) return Number(name);
  const of = (id: number) => client.listJobs({ query: { workflow_id: id, name, limit: 1000 } });
  if (workflow !== undefined)
    return onlyOf(idsWith((await of(workflow)).items, name), `job of workflow ${workflow}`, name, JOBS_ARE_LISTED);
  const query = { user, is_archived: false, sort_by: 'id', reverse_sort: true };
  const workflows = await all((page) => client.listWorkflows({ query: { ...query, ...page } }));
  const ids: number[] = [];
  // The newest first; a second job of this name ends it.
  for (let at = 0; at < workflows.length && ids.length < 2; at += AT_ONCE) {
    const found = await Promise.all(workflows.slice(at, at + AT_ONCE).map(({ id }) => of(id)));
    for (const { items } of found) for (const id of idsWith(items, name)) ids.push(id);
  }
  return onlyOf(ids, 'job', name, JOBS_ARE_LISTED);
}

const JOBS_ARE_LISTED = 'list_jobs_by_status lists jobs';
/** Workflows that are looked into at once for a job that no workflow is named for. */
const AT_ONCE = 20;
const MOST_NAMED = 10;

/** A server of Torc also finds names that contain it. */
const idsWith = (found: readonly { readonly id: number; readonly name: string }[], name: string) =>
  found.filter((each) => each.name === name).map(({ id }) => id);

function onlyOf(ids: readonly number[], things: string, name: string, next: string): number {
  const [only] = ids;
  if (only === undefined) throw new Error(`no ${things} is named "${name}"; ${next}`);
  if (ids.length === 1) return only;
  const shown = ids.slice(-MOST_NAMED).join(', ');
  throw new Error(`more than one ${things} is named "${name}"; use the id of one of them: ${shown}`);
}
