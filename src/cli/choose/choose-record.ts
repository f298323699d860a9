import type { Client } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import { all } from '../../client/every.ts';
import { chooseWorkflow } from './choose-workflow.ts';
import type { Context } from '../command/context.ts';
import { Failure } from '../command/failure.ts';
import { asName, idOrName } from './id-or-name.ts';
import { option } from '../command/option.ts';
import { counted, someOf } from '../../core/quantity/count-text.ts';

/** The workflow of a record, for commands that accept a record by its name. */
export const workflowOption = option(
  '-w, --workflow-id <workflow>',
  'workflow, by id or name; required if several workflows have this name',
);

/** The id of the given job: by its id, or by its name within a workflow. */
export const chooseJob = (context: Context, given: unknown, workflow?: unknown) =>
  chooseRecord(context, recordKinds.job, given, workflow);

/** The maximum number of workflows searched for a name if none is given: each is a request. */
const MOST_SEARCHED = 50;

/** A record of a workflow that has a name; that of an entity of a research object is its `@id`. */
interface Named {
  readonly id?: number | null | undefined;
  readonly name?: string | null | undefined;
  readonly entity_id?: string;
  readonly workflow_id: number;
}

const nameOf = ({ name, entity_id: entityId }: Named): string => entityId ?? name ?? '';

export interface RecordKind {
  readonly thing: string;
  readonly things: string;
  /** Those of a workflow whose name is this one or contains it. */
  readonly list: (client: Client, workflowId: number, name: string) => Promise<readonly Named[]>;
  readonly get: (client: Client, id: number) => Promise<Named>;
  /** Where one may be deleted by its id. */
  readonly remove?: (client: Client, id: number) => Promise<object>;
}

/** Of lists that the server does not search. */
const withName = (found: readonly Named[], name: string) => found.filter((each) => nameOf(each).includes(name));

/** Records that have names. */
export const recordKinds = {
  job: {
    thing: 'job',
    things: 'jobs',
    list: (client, workflow_id, name) => all((page) => client.listJobs({ query: { workflow_id, name, ...page } })),
    get: (client, id) => client.getJob({ params: { id } }),
  },
  file: {
    thing: 'file',
    things: 'files',
    list: (client, workflow_id, name) => all((page) => client.listFiles({ query: { workflow_id, name, ...page } })),
    get: (client, id) => client.getFile({ params: { id } }),
    remove: (client, id) => client.deleteFile({ params: { id } }),
  },
  userData: {
    thing: 'user data',
    things: 'user data records',
    list: (client, workflow_id, name) => all((page) => client.listUserData({ query: { workflow_id, name, ...page } })),
    get: (client, id) => client.getUserData({ params: { id } }),
    remove: (client, id) => client.deleteUserData({ params: { id } }),
  },
  requirements: {
    thing: 'resource requirements',
    things: 'resource requirements',
    list: (client, workflow_id, name) =>
      all((page) => client.listResourceRequirements({ query: { workflow_id, name, ...page } })),
    get: (client, id) => client.getResourceRequirements({ params: { id } }),
    remove: (client, id) => client.deleteResourceRequirements({ params: { id } }),
  },
  failureHandler: {
    thing: 'failure handler',
    things: 'failure handlers',
    list: async (client, id, name) =>
      withName(await all((query) => client.listFailureHandlers({ params: { id }, query })), name),
    get: (client, id) => client.getFailureHandler({ params: { id } }),
  },
  roCrateEntity: {
    thing: 'RO-Crate entity',
    things: 'RO-Crate entities',
    list: async (client, id, name) =>
      withName(await all((query) => client.listRoCrateEntities({ params: { id }, query })), name),
    get: (client, id) => client.getRoCrateEntity({ params: { id } }),
    remove: (client, id) => client.deleteRoCrateEntity({ params: { id } }),
  },
  slurmScheduler: {
    thing: 'scheduler',
    things: 'schedulers',
    list: async (client, workflow_id, name) =>
      withName(await all((page) => client.listSlurmSchedulers({ query: { workflow_id, ...page } })), name),
    get: (client, id) => client.getSlurmScheduler({ params: { id } }),
    remove: (client, id) => client.deleteSlurmScheduler({ params: { id } }),
  },
} as const satisfies Record<string, RecordKind>;

/** The id of the given record; `workflow` is the value of `--workflow-id`. */
export async function chooseRecord(
  context: Context,
  kind: RecordKind,
  given: unknown,
  workflow?: unknown,
): Promise<number> {
  const meant = idOrName(kind.thing, given);
  const { client } = await context.service();
  if ('id' in meant) {
    if (workflow !== undefined) await refuseForeign(client, kind, meant.id, await chooseWorkflow(context, workflow));
    return meant.id;
  }
  const ids = workflow === undefined ? await ownWorkflows(context, client) : [await chooseWorkflow(context, workflow)];
  if (ids.length > MOST_SEARCHED)
    throw new Failure(
      `${kind.thing} "${meant.name}": you have more than ${MOST_SEARCHED} workflows; name the workflow with -w`,
    );
  return byName(context, kind, meant.name, ids);
}

/** The ids of the records of a workflow that an option names; the server checks ids. */
export async function recordsWithin(
  context: Context,
  kind: RecordKind,
  workflowId: number,
  given: readonly string[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const text of given) {
    const meant = idOrName(kind.thing, text);
    ids.push('id' in meant ? meant.id : await byName(context, kind, meant.name, [workflowId]));
  }
  return ids;
}

/** The same for an option that names one, if it was given. */
export async function recordWithin(
  context: Context,
  kind: RecordKind,
  workflowId: number,
  given: unknown,
): Promise<number | undefined> {
  return given === undefined ? undefined : (await recordsWithin(context, kind, workflowId, [given as string]))[0];
}

/** The one record of this name in these workflows. */
async function byName(
  { service, settings }: Context,
  kind: RecordKind,
  name: string,
  workflowIds: readonly number[],
): Promise<number> {
  const { client } = await service();
  const near = (await Promise.all(workflowIds.map((id) => kind.list(client, id, name)))).flat();
  const found = near.filter((each) => nameOf(each) === name);
  const [only, ...others] = found;
  if (only === undefined) throw new Failure(noneWords(kind, name, workflowIds, near, settings.user));
  if (others.length > 0) throw new Failure(severalWords(kind, name, found));
  return only.id as number;
}

/** Digits are an id, but not of a record in another workflow than the named one. */
async function refuseForeign(client: Client, kind: RecordKind, id: number, workflowId: number): Promise<void> {
  const record = await kind.get(client, id).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  });
  if (record?.workflow_id === workflowId) return;
  const named = (await kind.list(client, workflowId, String(id))).filter((each) => nameOf(each) === String(id));
  const fact =
    record === undefined
      ? `${kind.thing} ${id} was not found (404)`
      : `${kind.thing} ${id} belongs to workflow ${record.workflow_id}, not ${workflowId}`;
  throw new Failure(
    named.length === 0
      ? fact
      : `${fact}; digits are read as an id; for the ${kind.thing} named "${id}" write ${asName(String(id))}`,
  );
}

/** The user's workflows that are not archived, one more than are searched. */
async function ownWorkflows({ settings }: Context, client: Client): Promise<number[]> {
  const query = { user: settings.user, is_archived: false, limit: MOST_SEARCHED + 1 };
  return (await client.listWorkflows({ query })).items.map(({ id }) => id);
}

/** Shows a few similar names, because the name was probably misspelled. */
function noneWords(
  { thing, things }: RecordKind,
  name: string,
  searched: readonly number[],
  near: readonly Named[],
  user: string,
): string {
  const [only] = searched;
  const where =
    searched.length === 1
      ? `no ${thing} of workflow ${only} is named "${name}"`
      : searched.length === 0
        ? `${thing} "${name}": user ${user} has no workflows; name the workflow with -w`
        : `no ${thing} is named "${name}" in the ${searched.length} workflows of user ${user}`;
  if (near.length === 0) return where;
  return `${where}; ${counted(near.length, thing, things)} with this in the name: ${someOf(near.map(nameOf))}`;
}

/** Candidates that are shown. */
const SHOWN = 10;

function severalWords({ thing, things }: RecordKind, name: string, found: readonly Named[]): string {
  const workflows = new Set(found.map((each) => each.workflow_id));
  const how = workflows.size === found.length ? `name the workflow with -w` : `use the id of one of them`;
  const shown = found.slice(0, SHOWN).map((each) => `  ${thing} ${each.id} of workflow ${each.workflow_id}`);
  const more = found.length > SHOWN ? [`  and ${found.length - SHOWN} more`] : [];
  return [`${found.length} ${things} are named "${name}"; ${how}:`, ...shown, ...more].join('\n');
}
