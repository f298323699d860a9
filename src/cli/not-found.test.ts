import { expect, it } from 'vitest';
import { listOfMissing } from './not-found.ts';

it.each([
  ['API error while calling list jobs (status: 404 Not Found): Workflow not found with ID: 99', 'torc workflows list'],
  ['Job not found with ID: 7', 'torc jobs list WORKFLOW'],
  ['Group not found with ID: 7', 'torc access-groups list'],
  ['Resource not found in file with ID: 7', 'torc files list WORKFLOW'],
  ['Resource not found in user_data with ID: 7', 'torc user-data list WORKFLOW'],
  ['Resource not found in compute_node with ID: 7', 'torc compute-nodes list WORKFLOW'],
  ['Resource not found in slurm_scheduler with ID: 7', 'torc slurm list WORKFLOW'],
  ['Resource not found in resource_requirements with ID: 7', 'torc resource-requirements list WORKFLOW'],
  ['Task not found', undefined],
  ['Nonsense not found with ID: 7', undefined],
  ['there is no GET /x', undefined],
])('a record that is not there has a command that lists those that are: %s', (message, command) => {
  expect(listOfMissing(message)).toBe(command);
});
