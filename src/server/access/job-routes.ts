import { type Route, type RouteName, routes } from '../../core/contract/routes.ts';

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
