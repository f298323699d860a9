import { expect, it } from 'vitest';
import { createChildLauncher } from './child.ts';
import { LaunchError } from './launcher.ts';

const request = { script: ':', variables: [], stdout: undefined, stderr: undefined };

it('where bash is gone a job is refused for good, not tried again for ever', () => {
  const launcher = createChildLauncher({ bash: '/nonexistent/bash', environment: {}, onEnd: () => {} });
  let refused: unknown;
  try {
    launcher.launch(request);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(LaunchError);
  expect(refused).toMatchObject({ code: 'ENOENT', isPassing: false });
});
