import { beforeAll, describe, it } from 'vitest';
import { pagesToFollow } from '../support/pages/all.ts';
import { follow } from '../support/pages/follow.ts';
import { installPacked } from '../support/pages/installed.ts';

/** The pages, followed to the letter outside of the checkout. How pages are written for it: CONTRIBUTING.md. */
describe(`with the packed tarball, installed without a network on Node ${process.versions.node}, a reader can follow`, () => {
  let path: string[];
  beforeAll(async () => {
    path = await installPacked(process.execPath, ['--offline', '--omit=optional']);
  }, 120_000);

  it.each(pagesToFollow())('$page', ({ steps }) => follow(steps, { path, hasNetwork: false }), 600_000);
});
