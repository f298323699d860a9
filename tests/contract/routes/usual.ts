import { job } from './world.ts';

/** What many routes answer alike. */

/** Job 2 as lists show it. */
export const second = {
  ...job,
  id: 2,
  name: 'second',
  command: 'true',
  status: 'blocked',
  resource_requirements_id: 1,
  failure_handler_id: 0,
  priority: 0,
};

/** A list with all that there is of it. */
export const whole = (...items: unknown[]) => ({
  items,
  offset: 0,
  max_limit: 100_000,
  count: items.length,
  total_count: items.length,
  has_more: false,
});

/** The status counts of the first workflow when nothing has happened yet, with what has. */
export const counts = (happened: Partial<Record<string, number>> = {}) => ({
  uninitialized: 0,
  blocked: 1,
  ready: 2,
  pending: 0,
  running: 0,
  completed: 0,
  failed: 0,
  canceled: 0,
  terminated: 0,
  disabled: 0,
  pending_failed: 0,
  ...happened,
});

export const unknownWorkflow = {
  says: 'answers 404 for a workflow that does not exist',
  status: 404,
  code: 'NOT_FOUND',
  message: 'Workflow not found with ID: 9',
} as const;
export const ofUnknownWorkflow = { ...unknownWorkflow, query: { workflow_id: 9 } };
export const inUnknownWorkflow = { ...unknownWorkflow, params: { id: 9 } };

export const unknownJob = {
  says: 'answers 404 for a job that does not exist',
  status: 404,
  code: 'NOT_FOUND',
  message: 'Job not found with ID: 9',
} as const;

export const unknown = (table: string) =>
  ({
    says: 'answers 404 for what does not exist',
    params: { id: 9 },
    status: 404,
    code: 'NOT_FOUND',
    message: `Resource not found in ${table} with ID: 9`,
  }) as const;

export const negativeOffset = {
  says: 'refuses a negative offset',
  status: 400,
  code: 'PARAMETER_REFUSED',
  message: 'offset cannot be negative',
} as const;
