import { expect, it } from 'vitest';
import { listOfMissing } from './report-error.ts';

it.each([
  ['workflow', 'torc workflows list'],
  ['job', 'torc jobs list WORKFLOW'],
  ['group', 'torc access-groups list'],
  ['file', 'torc files list WORKFLOW'],
  ['user_data', 'torc user-data list WORKFLOW'],
  ['compute_node', 'torc compute-nodes list WORKFLOW'],
  ['slurm_scheduler', 'torc slurm list WORKFLOW'],
  ['resource_requirements', 'torc resource-requirements list WORKFLOW'],
  ['nonsense', undefined],
])('a record that is not there has a command that lists those that are: %s', (kind, command) => {
  expect(listOfMissing({ kind, id: '7' })).toBe(command);
});
