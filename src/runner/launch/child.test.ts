import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { createChildLauncher } from './child.ts';
import { LaunchError } from './launcher.ts';

const request = { script: ':', variables: [], stdout: undefined, stderr: undefined };

it('without bash a job is refused permanently, and not retried for ever', () => {
  const bash = join(temporaryFolder(), 'missing', 'bash');
  const launcher = createChildLauncher({ bash, environment: {}, onEnd: () => {} });
  let refused: unknown;
  try {
    launcher.launch(request);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(LaunchError);
  expect(refused).toMatchObject({ code: 'ENOENT', isPassing: false });
});
