import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

/** Where limits are set, and which of them a workflow has: `docs/how-to/licences-and-limits.md`. */

/** A configuration for the server, its options, options of `torc create`, and the limits of the workflow: by whose, name and number. */
type Row = readonly [server: string, options: readonly string[], create: readonly string[], limits: readonly string[]];

/** The file of the folder counts. */
const environment = { TORC_TRUST_CONFIG: '1' };

const ALL = '[server.limits]\nmatlab = 4\ncores = 256\n';
const EACH = '[server.limits_each_user]\ncores = 64\n';

describe('limits of a server and of a workflow', () => {
  it.each<Row>([
    ['', [], [], []],
    [ALL, [], [], ['server matlab 4', 'server cores 256']],
    [EACH, [], [], ['user cores 64']],
    [`${ALL}\n${EACH}`, [], [], ['user cores 64', 'server matlab 4', 'server cores 256']],
    ['[server]\nlimits = { "a.b@c" = 0, jobs = 9 }\n', [], [], ['server a.b@c 0', 'server jobs 9']],
    // Options take the place of the configuration as a whole, each of their own table.
    [`${ALL}\n${EACH}`, ['--limit', 'gpus=2'], [], ['user cores 64', 'server gpus 2']],
    [
      ALL,
      ['--limit-each-user', 'nodes=3', '--limit-each-user', 'jobs=5'],
      [],
      ['user nodes 3', 'user jobs 5', 'server matlab 4', 'server cores 256'],
    ],
    [
      '',
      [],
      ['--max-cores', '8', '--max-gpus', '1', '--max-nodes', '2'],
      ['workflow cores 8', 'workflow gpus 1', 'workflow nodes 2'],
    ],
    [EACH, [], ['--max-cores', '128'], ['workflow cores 128', 'user cores 64']],
  ])(
    'with %j, %j and %j of its creation a workflow has the limits %j',
    async (configuration, options, create, limits) => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'torc.toml'), configuration);
      writeFileSync(join(folder, 'w.yaml'), 'name: w\njobs: [{name: a, command: "true"}]\n');
      const { url, client } = await startServer(folder, { more: options, environment });
      const { code, stderr } = await torc(['--url', url, 'create', 'w.yaml', ...create], { cwd: folder, environment });
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      const found = await client.getWorkflowLimits({ params: { id: 1 } });
      expect(found.limits.map(({ scope, name, most }) => `${scope} ${name} ${most}`).toSorted()).toEqual(
        limits.toSorted(),
      );
    },
  );

  it.each([
    ['[server.limits]\nmatlab = -1\n', 'matlab'],
    ['[server.limits]\nmatlab = 1.5\n', 'matlab'],
    ['[server.limits]\nmatlab = "four"\n', 'matlab'],
    ['[server.limits]\ncpus = 4\n', "called 'cores'"],
    ['[server.limits_each_user]\nmemory = 4\n', 'memory is not limited'],
    ['[server]\nlimits = 4\n', 'server.limits'],
  ])('a server does not start with the limits %j, and says which is wrong: %s', async (configuration, words) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'torc.toml'), configuration);
    const checked = await torc(['config', 'validate'], { cwd: folder, environment });
    expect([checked.code, checked.stdout + checked.stderr]).toEqual([1, expect.stringContaining(words)]);
    await expect(startServer(folder, { environment })).rejects.toThrow(words);
  });
});
