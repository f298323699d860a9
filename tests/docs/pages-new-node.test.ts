import { beforeAll, describe, it } from 'vitest';
import { isCi } from '../support/in-ci.ts';
import { oldNode } from '../support/old-node.ts';
import { pagesToFollow } from '../support/pages/all.ts';
import { follow } from '../support/pages/follow.ts';
import { installPacked } from '../support/pages/installed.ts';

/** In CI an old Node follows the page about the installation (pages-old-node.test.ts): each of its six ways takes 5 s of CPU time. */
const isElsewhere = isCi && (await oldNode()) !== undefined;
const pages = pagesToFollow().filter(({ page }) => !(isElsewhere && page.endsWith('/install.md')));

/** The pages, followed to the letter outside of the checkout. How pages are written for it: CONTRIBUTING.md. */
describe(`with the packed tarball, installed without a network on Node ${process.versions.node}, a reader can follow`, () => {
  let path: string[];
  beforeAll(async () => {
    path = await installPacked(process.execPath, ['--offline', '--omit=optional']);
  }, 300_000);

  it.for(pages)('$page', { timeout: 600_000 }, async ({ steps }, { skip }) => {
    const { skipped } = await follow(steps, { path, hasNetwork: false });
    if (skipped !== undefined) skip(skipped);
  });
});
