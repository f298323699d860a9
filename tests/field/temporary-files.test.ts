import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc } from '../support/programs.ts';

/**
 * What public reports say of other programs that deleted temporary files too early, or left them. Each row names the report, and what
 * happens here in the same case.
 */

let folder: string;
let server: RunningServer;
const at = (name: string) => join(folder, name);
const call = (...words: string[]) => torc(['--url', server.url, ...words], { cwd: folder });
const flow = (text: string) => writeFileSync(at('flow.yaml'), `name: field\njobs:\n${text}`);
const completed = async () => (await server.client.getWorkflowStatus({ params: { id: 1 } })).jobs_by_status.completed;

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
});

const MAKE = "  - { name: make, command: 'echo made > t', outputs: [{ path: t, temporary: true }] }\n";
const READ = "  - { name: read, command: 'cat t > out', inputs: [t], outputs: [out] }\n";

it.each<[report: string, happens: () => Promise<void>]>([
  [
    'https://github.com/snakemake/snakemake/issues/2164 (7.24: a temporary folder was deleted while a job needed a folder in it)',
    async () => {
      flow(`  - name: make
    command: 'mkdir -p parent/child && touch parent/child/a'
    outputs: [{ path: parent, temporary: true }, { path: parent/child, temporary: true }]
  - { name: read, command: 'sleep 0.2; ls parent/child/a', inputs: [parent/child] }
`);
      const { stderr } = await call('run', 'flow.yaml');
      expect(stderr).toContain(
        'parent is temporary and will be kept: parent/child, another file of the workflow, is in it',
      );
      expect([await completed(), existsSync(at('parent/child'))]).toEqual([2, false]);
    },
  ],
  [
    'https://github.com/snakemake/snakemake/issues/3742 (9.11: after an interruption "nothing to be done" left temporary files)',
    async () => {
      flow(MAKE + READ);
      await call('run', 'flow.yaml', '--keep-temporary');
      expect(existsSync(at('t'))).toBe(true);
      expect((await call('run', '1')).stderr).toContain('deleted 1 temporary file');
      expect(existsSync(at('t'))).toBe(false);
    },
  ],
  [
    'https://github.com/snakemake/snakemake/issues/2732 (8.5: a file was deleted that a job needed which was known only later)',
    async () => {
      flow(MAKE + READ);
      await call('run', 'flow.yaml');
      flow(`${MAKE}${READ}  - { name: late, command: 'cat t > late', inputs: [t], outputs: [late] }\n`);
      await call('run', 'flow.yaml', '--update');
      expect([await completed(), existsSync(at('late')), existsSync(at('t'))]).toEqual([3, true, false]);
    },
  ],
  [
    'https://github.com/snakemake/snakemake/issues/1542 (7.3: a dry run deleted temporary files)',
    async () => {
      flow(MAKE + READ);
      await call('run', 'flow.yaml', '--keep-temporary');
      for (const words of [
        ['run', '1'],
        ['run', 'flow.yaml', '--update'],
        ['workflows', 'clean', '1', '--temporary'],
      ])
        await call(...words, '--dry-run');
      expect(existsSync(at('t'))).toBe(true);
    },
  ],
  [
    'https://github.com/snakemake/snakemake/issues/2256 (7: a folder that was there was deleted because it was protected)',
    async () => {
      mkdirSync(at('results'));
      writeFileSync(at('results/mine'), '');
      flow("  - { name: make, command: 'touch results/made', outputs: [{ path: results, protected: true }] }\n");
      await call('run', 'flow.yaml');
      expect(readdirSync(at('results')).toSorted()).toEqual(['made', 'mine']);
      expect(statSync(at('results/made')).mode & 0o222).toBe(0);
    },
  ],
])('%s', async (_, happens) => happens());
