import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startServer, temporaryFolder } from '../support/programs.ts';

const root = resolve(import.meta.dirname, '../..');
// CI installs the generator there; see .ci/run.
const PYTHON = join(root, '.build/python/bin/python');
const GENERATOR = join(dirname(PYTHON), 'openapi-python-client');
// Torc's document is not part of this repository.
const ORIGINAL = join(root, '../shared/reference/torc/openapi.yaml');

const run = promisify(execFile);
const whyNot = (path: string) => (existsSync(path) ? '' : `: skipped, none at ${path}`);

/** Makes a client, lets it take a workflow from its creation to its results, and answers what it found. */
async function journey(document: string): Promise<unknown> {
  const folder = temporaryFolder();
  await run(GENERATOR, ['generate', '--path', document, '--output-path', join(folder, 'generated'), '--meta', 'none']);
  const server = await startServer(folder);
  const { stdout } = await run(PYTHON, [join(import.meta.dirname, 'journey.py')], {
    env: { ...process.env, PYTHONPATH: folder, TORC_API_URL: server.url },
  });
  return JSON.parse(stdout);
}

const promised = {
  jobs: ['first', 'second'],
  initialized: 'Initialized job status',
  task: [202, 'initialize_jobs', 'succeeded'],
  statuses: { first: 'ready', second: 'blocked' },
  claimed: [['first', { A: '1' }, true]],
  started: 'running',
  completed: 'completed',
  after: { first: 'completed', second: 'ready' },
  results: [['first', 0, 0.5]],
  data: { x: [1, null] },
  status: 1,
  missing: [404, 'Resource not found in file with ID: 999999'],
};

describe.skipIf(!existsSync(GENERATOR))(`a client that a stock generator made${whyNot(GENERATOR)}`, () => {
  it('a client that a stock generator made of our document takes a workflow from its creation to its results', async () => {
    expect(await journey(join(root, 'api/openapi.json'))).toEqual(promised);
  });

  it.skipIf(!existsSync(ORIGINAL))(`of the original’s document does the same${whyNot(ORIGINAL)}`, async () => {
    expect(await journey(ORIGINAL)).toEqual(promised);
  });
});
