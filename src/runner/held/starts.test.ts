import { expect, it } from 'vitest';
import { LaunchError } from '../launch/launcher.ts';
import { afterFailedStart } from './starts.ts';
import { OutputFolderError } from '../launch/output-folders.ts';

it.each([
  ['missing processes pass: the runner tries again', new LaunchError('EAGAIN', 'no process'), 'try-again'],
  ['missing memory passes: the runner tries again', new LaunchError('ENOMEM', 'no memory'), 'try-again'],
  ['a command that is too long fails its job alone', new LaunchError('E2BIG', 'too long'), 'fail-job'],
  ['a named pipe in the place of its output fails its job alone', new LaunchError('ENXIO', 'a pipe'), 'fail-job'],
  ['a folder in the place of its output fails its job alone', new LaunchError('EISDIR', 'a folder'), 'fail-job'],
  ['a link in the place of its output fails its job alone', new LaunchError('ELOOP', 'a link'), 'fail-job'],
  ['an output folder that cannot be made fails its job', new OutputFolderError('EACCES', 'denied'), 'fail-job'],
  ['without a shell no job can start: the runner stops', new LaunchError('ENOENT', 'no bash'), 'stop-runner'],
] as const)('%s', (_words, error, expected) => {
  expect(afterFailedStart(error)).toBe(expected);
});
