import * as z from 'zod';
import { Task } from '../task.ts';
import { ofId, type Route, route } from './route.ts';

/** The server itself, and its background tasks. */
export const systemRoutes = {
  ping: route('GET', '/ping', 'read', 'anyone', {
    says: 'Check that the server answers; `now_ms` is its time of day in Unix milliseconds.',
    reply: z.object({ status: z.string(), now_ms: z.number().optional() }),
  }),
  getVersion: route('GET', '/version', 'read', 'anyone', {
    says: 'The version of the program and of this API.',
    reply: z.object({ version: z.string(), api_version: z.string(), git_hash: z.string().optional() }),
  }),
  getTask: route('GET', '/tasks/{id}', 'read', 'task', {
    says: 'The progress of a task.',
    params: ofId,
    reply: Task,
  }),
  getActiveTask: route('GET', '/workflows/{id}/active_task', 'read', 'task of workflow in path', {
    says: 'The active task of a workflow, if any.',
    params: ofId,
    reply: z.object({ task: Task.nullable() }),
  }),
} as const satisfies Record<string, Route>;
