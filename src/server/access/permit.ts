import { Refusal } from '../../core/contract/refusals.ts';
import { type Route, routes, type RouteName } from '../../core/contract/routes.ts';
import { type Access, recordTables } from '../../core/contract/routes/route.ts';
import type { Caller, Permissions } from '../caller.ts';
import type { Store } from '../records/store.ts';
import { accessQueries } from './queries.ts';
import type { AccessSettings } from './settings.ts';

type Fields = Readonly<Record<string, unknown>>;
type Check = (given: { params: Fields; query: Fields; body: Fields }, caller: Caller) => void;

const forbidden = (words: string): never => {
  throw new Refusal('FORBIDDEN', words, { error: 'Forbidden' });
};

const notForJobs = (workflowId: number, what: string): never => {
  throw new Refusal('JOB_LOGIN_REFUSED', `the login of the jobs of workflow ${workflowId} is not for ${what}`, {
    workflow_id: workflowId,
  });
};

/**
 * Enforces access as configured, with the groups in the database.
 *
 * The members of the group `admin` become those in the settings. While access is not enforced everybody may do
 * everything, but for a job with the token of jobs.
 */
export function createPermissions(
  { db, now }: Store,
  { enforce, administrators }: Pick<AccessSettings, 'enforce' | 'administrators'>,
): Permissions {
  const queries = accessQueries(db);
  const names = JSON.stringify(administrators);
  queries.removeAdministrators.run({ names });
  queries.addAdministrators.run({ names, at: new Date(now()).toISOString() });

  const ownerOf = (id: number) => queries.owner.get({ id })?.user;
  const isAdministrator = ({ user }: Caller) =>
    user !== undefined && queries.isAdministrator.get({ user }) !== undefined;
  const isFor = (id: number, user: string) => {
    const owner = ownerOf(id);
    return owner !== undefined && (owner === user || queries.sharedWith.get({ id, user }) !== undefined);
  };
  const sees = (caller: Caller, id: number) =>
    caller.jobsOf !== undefined
      ? caller.jobsOf === id
      : !enforce || (caller.user !== undefined && isFor(id, caller.user)) || isAdministrator(caller);

  /** The caller's name; a caller without one has no permissions. */
  const nameOf = ({ user, refused }: Caller, where = 'when access control is enabled'): string => {
    const why = refused === undefined ? '' : `: the login of '${refused}' was not accepted`;
    return user ?? forbidden(`Anonymous access not allowed ${where}${why}`);
  };
  const ofWorkflow = (id: number, caller: Caller) => {
    if (sees(caller, id) || ownerOf(id) === undefined) return;
    if (caller.jobsOf !== undefined) notForJobs(caller.jobsOf, `workflow ${id}`);
    forbidden(`User '${nameOf(caller)}' does not have access to workflow ${id}`);
  };
  const orHidden = (id: number | undefined, caller: Caller, what: string) => {
    if (id === undefined || sees(caller, id)) return;
    throw new Refusal('NOT_FOUND', `${what} not found`, { id });
  };
  const ofGroup = (groupId: number, caller: Caller) => {
    const user = nameOf(caller, 'for group management');
    if (queries.isGroupAdministrator.get({ groupId, user }) !== undefined || isAdministrator(caller)) return;
    forbidden(`User '${user}' is not an admin of group ${groupId}`);
  };

  const rules = {
    anyone() {},
    user: (_, caller) => void nameOf(caller),
    'workflow in path': ({ params }, caller) => ofWorkflow(params['id'] as number, caller),
    'workflow in query': ({ query }, caller) => ofWorkflow(query['workflow_id'] as number, caller),
    'workflow in body': ({ body }, caller) => ofWorkflow(body['workflow_id'] as number, caller),
    'workflow in entries'({ body }, caller) {
      for (const id of workflowsOf(body)) ofWorkflow(id, caller);
    },
    task: ({ params }, caller) =>
      orHidden(queries.workflowOfTask.get({ id: params['id'] as number })?.workflow_id, caller, 'Task'),
    'task of workflow in path': ({ params }, caller) => orHidden(params['id'] as number, caller, 'Workflow'),
    owner({ params }, caller) {
      const id = params['id'] as number;
      const user = nameOf(caller);
      if (ownerOf(id) === user || isAdministrator(caller)) return;
      ofWorkflow(id, caller);
      if (ownerOf(id) !== undefined) forbidden(`User '${user}' is not the owner of workflow ${id}`);
    },
    /** An administrator of a group may share with it the workflows that he may see. */
    sharer({ params }, caller) {
      const [id, groupId] = [params['id'] as number, params['group_id'] as number];
      const user = nameOf(caller, 'for workflow-group operations');
      const owner = ownerOf(id);
      if (owner === undefined || owner === user || isAdministrator(caller)) return;
      ofWorkflow(id, caller);
      ofGroup(groupId, caller);
    },
    oneself({ params }, caller) {
      const user = nameOf(caller);
      const asked = params['user_name'] as string;
      if (user === asked || isAdministrator(caller)) return;
      forbidden(`Only admins can check access for other users (requester: ${user}, requested: ${asked})`);
    },
    'group administrator': ({ params }, caller) => ofGroup(params['id'] as number, caller),
    administrator(_, caller) {
      const user = nameOf(caller, 'for admin operations');
      if (!isAdministrator(caller)) forbidden(`User '${user}' is not a system administrator`);
    },
  } satisfies Record<Exclude<Access, `workflow of ${string}`>, Check>;

  const ofRecords = recordTables.map((table): [Access, Check] => [
    `workflow of ${table}`,
    ({ params }, caller) => {
      const workflowId = queries.workflowOf[table].get({ id: params['id'] as number })?.workflow_id;
      if (workflowId !== undefined) ofWorkflow(workflowId, caller);
    },
  ]);
  const watchers = new Set<() => void>();
  const checks = new Map<Access, Check>([...(Object.entries(rules) as [Access, Check][]), ...ofRecords]);

  return {
    isEnforced: enforce,
    check(name, given, caller) {
      const { jobsOf } = caller;
      if (jobsOf === undefined && !enforce) return;
      const { access, method, path } = routes[name] as Route;
      if (jobsOf !== undefined && !isForJobs(name)) notForJobs(jobsOf, `${method} ${path}`);
      const rule = checks.get(access);
      if (rule === undefined) throw new Error(`no rule for '${access}'`);
      rule(given as Parameters<Check>[0], caller);
    },
    checkCaller(access, what, caller) {
      if (caller.jobsOf !== undefined) notForJobs(caller.jobsOf, what);
      if (enforce) rules[access]({ params: {}, query: {}, body: {} }, caller);
    },
    sees,
    owns: (caller, id) => !enforce || ownerOf(id) === caller.user || isAdministrator(caller),
    listedFor: (caller) => (enforce && !isAdministrator(caller) ? nameOf(caller) : undefined),
    isFor,
    haveChanged() {
      if (!enforce) return;
      // The shared transaction is committed before the event loop goes on, and events are sent after that.
      queueMicrotask(() => {
        for (const check of watchers) check();
      });
    },
    onChange(check) {
      watchers.add(check);
      return () => void watchers.delete(check);
    },
  };
}

/** The workflows named in the entries of a bulk body. */
function workflowsOf(body: Fields): Set<number> {
  const ids = new Set<number>();
  for (const entries of Object.values(body)) {
    if (!Array.isArray(entries)) continue;
    for (const { workflow_id: id } of entries as { workflow_id?: unknown }[]) {
      if (typeof id === 'number') ids.add(id);
    }
  }
  return ids;
}

/**
 * What jobs write: values for other jobs, files and provenance of their workflow, events, and jobs that come after them.
 *
 * Not `createJob`: a job that runs spawns jobs, and the server refuses that when it has ended. Not what runners do (claims, starts,
 * ends, results), nor what the user does (cancel, reset, change, delete).
 */
const WRITTEN_BY_JOBS: ReadonlySet<RouteName> = new Set<RouteName>([
  'spawnJobs',
  'createUserData',
  'createUserDataList',
  'updateUserData',
  'deleteUserData',
  'createFile',
  'createFiles',
  'updateFile',
  'createRoCrateEntity',
  'updateRoCrateEntity',
  'createEvent',
]);

/** Reads of one workflow, and of the server itself. What lists workflows or users, or is for administrators, is not for jobs. */
const isOfOneWorkflow = ({ access }: Route) => access === 'anyone' || /^(workflow|task)\b/.test(access);

/** Whether jobs may use this route, for their own workflow. */
export const isForJobs = (name: RouteName): boolean =>
  WRITTEN_BY_JOBS.has(name) || (routes[name].method === 'GET' && isOfOneWorkflow(routes[name]));
