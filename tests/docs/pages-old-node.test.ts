import { execFileSync } from 'node:child_process';
import { beforeAll, describe, it } from 'vitest';
import { isCi } from '../support/in-ci.ts';
import { oldNode } from '../support/old-node.ts';
import { pagesToFollow } from '../support/pages/all.ts';
import { follow } from '../support/pages/follow.ts';
import { installPacked } from '../support/pages/installed.ts';

const old = await oldNode();
const isAll = process.env['TORC_TEST_ALL_PAGES'] !== undefined;
/** The page has every way to install, and runs what each has installed. */
const wayIn = pagesToFollow().filter(({ page }) => isAll || page.endsWith('/install.md'));

/**
 * As pages-new-node.test.ts, in CI; npm brings the newer Node that torc needs, from its registry or its cache. After that every command
 * runs on that Node, so the page about the way in is enough. README and the tutorial took half of the time here: README has `npm ci` in a
 * clone, which .ci/run does itself, on the Node of its machine.
 */
describe.skipIf(old === undefined || !(isCi || isAll))(
  `with the packed tarball, installed on Node ${old?.version ?? 'older than 24.15, which is not on PATH'}, a reader can follow`,
  () => {
    let path: string[];
    let whyNot: string | undefined;
    beforeAll(async () => {
      path = await installPacked(old?.path as string, ['--prefer-offline']);
      whyNot = refusalOf(path);
    }, 600_000);

    it.for(wayIn)('$page', { timeout: 600_000 }, async ({ steps }, { skip }) => {
      if (whyNot !== undefined) return skip(`npm could not fetch the newer Node: ${whyNot}`);
      const { skipped } = await follow(steps, { path, hasNetwork: true });
      if (skipped !== undefined) skip(skipped);
    });
  },
);

/** What the installed program says when it found no Node to run with: npm installs without one where there is no network. */
function refusalOf(path: readonly string[]): string | undefined {
  try {
    execFileSync('torc', ['--version'], { env: { PATH: path.join(':') }, stdio: ['ignore', 'ignore', 'pipe'] });
    return undefined;
  } catch (error) {
    const { status, stderr } = error as { status?: number; stderr?: Buffer };
    if (status === 78) return String(stderr);
    throw error;
  }
}
