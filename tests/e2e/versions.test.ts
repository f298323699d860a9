import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { API_VERSION } from '../../src/core/contract/version.ts';
import { start, temporaryFolder } from '../support/programs.ts';

/** A service of another version, which remembers what it was asked and knows no workflow. */
async function serviceOf(apiVersion: string) {
  const asked: string[] = [];
  const server = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url?.replace(/^.*v1/, '')}`);
    const isVersion = url?.endsWith('/version') === true;
    response.writeHead(isVersion ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isVersion ? { version: '9.9.9', api_version: apiVersion } : { message: 'not found' }));
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/torc-service/v1` };
}

const [major = 0, minor = 0] = API_VERSION.split('.').map(Number);

describe.each([
  ['torc run', 'torc', (url: string) => ['--url', url, 'run', '1']],
  ['torc-slurm-job-runner', 'torc-slurm-job-runner', (url: string) => [url, '1', 'out']],
] as const)('%s', (_, program, argumentsFor) => {
  const run = (url: string, ...more: string[]) =>
    start(program, [...argumentsFor(url), ...more], {
      cwd: temporaryFolder(),
      environment: { SLURM_JOB_ID: '42', SLURM_JOB_END_TIME: '4102444800' },
    }).ended;

  it('stops at a server of another major version of the API, before it shows up there', async () => {
    const { asked, url } = await serviceOf(`${major + 1}.0.0`);
    const { code, stderr } = await run(url);
    expect([code, stderr]).toEqual([1, expect.stringContaining('API version incompatible')]);
    expect(stderr).toContain('--skip-version-check');
    expect(asked).toEqual(['GET /version']);
  });

  it('only warns of a smaller difference, and goes on', async () => {
    const { asked, url } = await serviceOf(`${major}.${minor + 1}.0`);
    const { stderr } = await run(url);
    expect(stderr).toMatch(/^warning: .*server is newer than client/m);
    expect(asked[0]).toBe('GET /version');
    expect(asked.length).toBeGreaterThan(1);
  });

  it('torc does not look at the version where its option says so', async () => {
    const { asked, url } = await serviceOf(`${major + 1}.0.0`);
    await run(url, '--skip-version-check');
    expect(asked).not.toContain('GET /version');
    expect(asked).not.toEqual([]);
  });
});
