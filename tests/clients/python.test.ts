import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc } from '../support/programs.ts';

// CI installs the published client there; see .ci/run.
const PYTHON = resolve(import.meta.dirname, '../../.build/python/bin/python');
const isThere = existsSync(join(dirname(PYTHON), 'pytorc'));

const environment = { PATH: `${dirname(PYTHON)}${delimiter}${process.env['PATH'] ?? ''}` };

async function python(server: RunningServer, script: string): Promise<string> {
  const { stdout } = await promisify(execFile)(PYTHON, [join(import.meta.dirname, script)], {
    env: { ...process.env, TORC_API_URL: server.url },
  });
  return stdout;
}

describe.skipIf(!isThere)(
  isThere ? 'the published Python client' : `the published Python client: skipped, none at ${PYTHON}`,
  () => {
    it('creates, claims, completes, reads and deletes; its functions run as jobs', async () => {
      const folder = temporaryFolder();
      const server = await startServer(folder);
      const found = JSON.parse(await python(server, 'records.py')) as Record<string, unknown>;
      expect(found).toEqual({
        ping: 'Server is running',
        jobs: ['1', '2', '3', '4', 'postprocess'],
        mapped: 1,
        statuses: { first: 'ready', second: 'blocked' },
        claimed: ['first'],
        after: { first: 'completed', second: 'ready' },
        results: [[true, 0]],
        events: [{ category: 'note', n: 1 }],
        missing: [404, 'Resource not found in file with ID: N'],
      });

      const ran = await torc(['--url', server.url, 'run', '1'], { cwd: folder, environment });
      expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('5 jobs completed')]);
      const { items } = await server.client.listUserData({ query: { workflow_id: 1, name: 'postprocess_result' } });
      expect(items.map(({ data }) => data)).toEqual([{ total: 18 }]);
    });

    it('a program adds generations of jobs from inside of a job until they converge', async () => {
      const folder = temporaryFolder();
      const server = await startServer(folder);
      const { id } = (await server.client.createWorkflow({ body: { name: 'loop', user: 'python' } })) as { id: number };
      const command = `${PYTHON} ${join(import.meta.dirname, 'orchestrator.py')}`;
      await server.client.createJob({ body: { workflow_id: id, name: 'loop', command } });
      await torc(['--url', server.url, 'workflows', 'init', String(id)], { cwd: folder });
      const ran = await torc(['--url', server.url, 'run', String(id)], { cwd: folder, environment });
      expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('4 jobs completed')]);
      const { items } = await server.client.listUserData({ query: { workflow_id: id, name: '__torc_lineage__' } });
      expect(items.map(({ name, data }) => [name, (data as { state: unknown }).state])).toEqual([
        ['__torc_lineage__loop__g000001', { generation: 1 }],
        ['__torc_lineage__loop__g000002', { generation: 2 }],
        ['__torc_lineage__loop__g000003', { generation: 3 }],
        ['__torc_lineage__loop__final', { generations: 3 }],
      ]);
    });
  },
);
