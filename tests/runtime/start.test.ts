import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { modulesIn, modulesOf } from '../support/loaded-modules.ts';
import { temporaryFolder } from '../support/programs.ts';

/** What a start loads, as names: each of these takes 10 to 50 ms of CPU time, and its user waits for it. */

const folderWithFlow = () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'flow.yaml'), 'name: flow\njobs: [{ name: a, command: "true" }]\n');
  return folder;
};

it('a run of a file loads no schema of a request, and its server does', async () => {
  const folder = folderWithFlow();
  const run = await modulesOf(['-s', 'run', 'flow.yaml'], folder);
  const server = modulesIn(folder, 'torc-server');
  expect([run.libraries.includes('zod'), server.libraries.includes('zod')]).toEqual([false, true]);
});

it('a server that is not scraped loads nothing that makes metrics', async () => {
  const folder = folderWithFlow();
  await modulesOf(['-s', 'run', 'flow.yaml'], folder);
  const { own } = modulesIn(folder, 'torc-server');
  expect([own.includes('server/http/metrics.ts'), own.filter((path) => path.startsWith('server/metrics/'))]).toEqual([
    true,
    [],
  ]);
});

// From the sources an import of node:http loads them.
const ofConnections = ['_http_client', '_http_server', 'internal/deps/undici/undici', 'tls', 'https', 'http2'];

it('an installed run of a file loads one client for HTTP: no second client, and no TLS', async () => {
  const { ofRuntime } = await modulesOf(['-s', 'run', 'flow.yaml'], folderWithFlow(), { isFromSources: false });
  // Node's module for HTTP loads both of its halves.
  expect(ofConnections.filter((name) => ofRuntime.includes(name))).toEqual(['_http_client', '_http_server']);
});

it('the help of all commands loads no schema', async () => {
  const { libraries } = await modulesOf(['--help']);
  expect(libraries).not.toContain('zod');
});
