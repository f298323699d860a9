import * as z from 'zod';
import { Task } from '../task.ts';
import { ofId, route, type Route } from './route.ts';

/** The server itself, and its background tasks. */
export const systemRoutes = {
  ping: route({
    method: 'GET',
    path: '/ping',
    kind: 'read',
    access: 'anyone',
    says: 'Check that the server answers; `now_ms` is its time of day in Unix milliseconds.',
    reply: z.object({ status: z.string(), now_ms: z.number().optional() }),
  }),
  getVersion: route({
    method: 'GET',
    path: '/version',
    kind: 'read',
    access: 'anyone',
    says: 'The version of the program and of this API.',
    reply: z.object({ version: z.string(), api_version: z.string(), git_hash: z.string().optional() }),
  }),
  getTask: route({
    method: 'GET',
    path: '/tasks/{id}',
    kind: 'read',
    access: 'task',
    says: 'The progress of a task.',
    params: ofId,
    reply: Task,
  }),
  getActiveTask: route({
    method: 'GET',
    path: '/workflows/{id}/active_task',
    kind: 'read',
    access: 'task of workflow in path',
    says: 'The active task of a workflow, if any.',
    params: ofId,
    reply: z.object({ task: Task.nullable() }),
  }),
} as const satisfies Record<string, Route>;
