import * as z from 'zod';
import { Task } from '../task.ts';
import { ofId, route, type Route } from './route.ts';

/** The server itself, and the tasks that it carries out after its answers. */
export const systemRoutes = {
  ping: route({
    method: 'GET',
    path: '/ping',
    kind: 'read',
    access: 'anyone',
    says: 'Is the server there?',
    reply: z.object({ status: z.string() }),
  }),
  getVersion: route({
    method: 'GET',
    path: '/version',
    kind: 'read',
    access: 'anyone',
    says: 'The version of the program and of this contract.',
    reply: z.object({ version: z.string(), api_version: z.string(), git_hash: z.string().optional() }),
  }),
  getTask: route({
    method: 'GET',
    path: '/tasks/{id}',
    kind: 'read',
    access: 'task',
    says: 'How far a task is.',
    params: ofId,
    reply: Task,
  }),
  getActiveTask: route({
    method: 'GET',
    path: '/workflows/{id}/active_task',
    kind: 'read',
    access: 'task of workflow in path',
    says: 'The task of a workflow that is under way, if any.',
    params: ofId,
    reply: z.object({ task: Task.nullable() }),
  }),
} as const satisfies Record<string, Route>;
