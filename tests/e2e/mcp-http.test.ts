import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { offered } from '../../src/agents/serve.ts';
import { tools } from '../../src/agents/tools/all.ts';
import { callsOf } from '../support/mcp.ts';
import { basic } from '../support/service.ts';
import { type RunningServer, start, startServer, temporaryFolder, torc } from '../support/programs.ts';

/** The tools at `/mcp` of a server, called by the official client. */

let folder: string;
let server: RunningServer;
/** With logins and access control. */
let guarded: RunningServer;
let failedJob: number;

const FLOW = `
name: agents
jobs:
  - {name: good, command: "seq 1 100"}
  - {name: 'bad_{i}', command: "echo no such sample {i} >&2; exit 3", parameters: {i: '1:3'}}
`;

beforeAll(async () => {
  folder = temporaryFolder();
  writeFileSync(join(folder, 'flow.yaml'), FLOW);
  server = await startServer(folder, { more: ['--mcp', 'all'] });
  await torc(['--url', server.url, 'run', 'flow.yaml'], { cwd: folder });
  const { items } = await server.client.listJobs({ query: { workflow_id: 1, status: 'failed' } });
  failedJob = items[0]?.id as number;
  for (const user of ['ada', 'ben'])
    await start('torc-htpasswd', ['add', '-f', 'users', user, '--password', `right of ${user}, 7`], { cwd: folder })
      .ended;
  guarded = await startServer(folder, {
    database: 'guarded.db',
    more: ['--mcp', 'all', '--auth-file', 'users', '--require-auth', '--enforce-access-control'],
  });
});

const mcpOf = ({ port }: RunningServer) => `http://127.0.0.1:${port}/mcp`;

async function agent(at: RunningServer, user?: string) {
  const client = new Client({ name: 'test', version: '1' });
  const headers = user === undefined ? {} : { Authorization: basic(user, `right of ${user}, 7`) };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpOf(at)), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return callsOf(client);
}

const post = (at: RunningServer, body: string, headers: Record<string, string> = {}) =>
  fetch(mcpOf(at), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body,
  });

const initialize = (version: string) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'old', version: '1' } },
  });

describe('agents at /mcp', () => {
  it('an agent gets every tool but those that need the machine of the workflow, and the pages and prompts', async () => {
    const { client } = await agent(server);
    const { tools: found } = await client.listTools();
    expect(found.map(({ name }) => name)).toEqual(
      tools.filter(({ needsMachine }) => needsMachine !== true).map(({ name }) => name),
    );
    expect((await client.listResources()).resources.length).toBeGreaterThan(20);
    expect((await client.listPrompts()).prompts).toHaveLength(3);
  });

  it('every tool that reads answers for a workflow that was run', async () => {
    const { call } = await agent(server);
    const given: Readonly<Record<string, Record<string, unknown>>> = {
      list_workflows: {},
      explain_job: { job_id: failedJob },
      tail_output: { job_id: failedJob },
      get_job_details: { job_id: failedJob },
      get_job_logs: { workflow_id: 1, job_id: failedJob, run_id: 1, log_type: 'stderr' },
      get_execution_plan: { spec_or_id: '1' },
      list_jobs_by_status: { workflow_id: 1, status: 'completed' },
      list_examples: {},
      get_example: { name: 'diamond' },
      get_docs: { topic: 'workflow-spec' },
    };
    for (const { name } of offered({ isReadOnly: true }, { outputDir: undefined })) {
      const { isError, text } = await call(name, given[name] ?? { workflow_id: 1 });
      expect([name, isError, text.startsWith('{')]).toEqual([name, false, true]);
    }
  });

  it('explain_workflow shows what a job wrote as far as the server reads it, and names commands for this server', async () => {
    const { call } = await agent(server);
    const { json } = await call('explain_workflow', { workflow_id: 1 });
    expect(json).toMatchObject({
      failures: [{ jobs: 3, stderr_tail: { lines: [expect.stringMatching(/^no such sample/)] } }],
      next: [`torc --url ${server.url} recover 1 --dry-run`],
    });
    const { json: tail } = await call('tail_output', { job_id: failedJob });
    expect(tail).toMatchObject({ output: { lines: [expect.stringMatching(/^no such sample/)] } });
  });

  it('a workflow is created for the user of the login, and another user does not see it', async () => {
    const ada = await agent(guarded, 'ada');
    const spec = JSON.stringify({ name: 'of ada', jobs: [{ name: 'one', command: 'true' }] });
    const { json } = await ada.call('create_workflow', { spec_json: spec });
    const id = json['workflow_id'] as number;
    expect((await ada.call('get_workflow_summary', { workflow_id: id })).json).toMatchObject({
      workflow: { user: 'ada' },
    });
    const ben = await agent(guarded, 'ben');
    for (const name of ['get_workflow_summary', 'get_workflow_status', 'explain_workflow', 'get_graph'])
      expect(await ben.call(name, { workflow_id: id })).toMatchObject({ isError: true });
  });

  it('recover_workflow shows the plan of the server, then carries it out', async () => {
    const { call } = await agent(server);
    const given = { workflow_id: 1, retry_unknown: true };
    const plan = await call('recover_workflow', { ...given, dry_run: true });
    expect(plan.json).toMatchObject({ dry_run: true, jobs_again: 3 });
    expect(await server.client.getJob({ params: { id: failedJob } })).toMatchObject({ status: 'failed' });
    const done = await call('recover_workflow', { ...given, dry_run: false });
    expect(done.json).toMatchObject({ dry_run: false, next: `torc --url ${server.url} run 1` });
    expect(await server.client.getJob({ params: { id: failedJob } })).toMatchObject({ status: 'ready' });
    // Nothing is left to recover.
    expect(await call('recover_workflow', { ...given, dry_run: false })).toMatchObject({
      isError: true,
      json: { code: 'RECOVERY_REFUSED' },
    });
  });

  it('without a login, and with a wrong password, nothing is answered', async () => {
    for (const headers of [{}, { Authorization: basic('ada', 'wrong') }]) {
      const response = await post(guarded, initialize('2025-11-25'), headers as Record<string, string>);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Torc"']);
    }
  });

  it('no tool reads a file of the server, and none writes one', async () => {
    const { call } = await agent(server);
    mkdirSync(join(folder, 'secret'));
    writeFileSync(join(folder, 'secret/list.csv'), 'x\na\nb\n');
    const plan = await call('get_execution_plan', { spec_or_id: join(folder, 'flow.yaml') });
    expect(plan.text).toContain('is no id of a workflow, no path of a file here, and no JSON');
    const spec = JSON.stringify({
      name: 'reads',
      jobs: [{ name: 'j_{x}', command: 'echo {x}', parameters_file: join(folder, 'secret/list.csv') }],
    });
    const made = await call('create_workflow', { spec_json: spec, user: 'eve', action: 'validate' });
    expect(made.text).toContain('reads no files of its callers');
    expect(made.text).not.toContain('"j_a"');
    const pattern = JSON.stringify({
      name: 'lists',
      files: [{ name: 'in_{x}', glob: 'secret/*.csv' }],
      jobs: [{ name: 'j_{x}', command: 'echo {x}', use_parameters: ['x'] }],
    });
    for (const action of ['validate', 'create_workflow'] as const) {
      const listed = await call('create_workflow', { spec_json: pattern, user: 'eve', action });
      expect(listed.text).toContain('is matched where the files are');
      expect(listed.text).not.toContain('j_list');
    }
    const saved = await call('create_workflow', {
      spec_json: spec,
      user: 'eve',
      action: 'save_spec_file',
      output_path: join(folder, 'written.json'),
    });
    expect(saved).toMatchObject({ isError: true });
    expect(saved.text).toContain('needs the machine of the workflow');
  });

  it('a caller without a login names the owner of a new workflow, and none where a workflow is only checked', async () => {
    const { call } = await agent(server);
    const spec = JSON.stringify({ name: 'owned', jobs: [{ name: 'one', command: 'true' }] });
    expect((await call('create_workflow', { spec_json: spec, action: 'validate' })).json).toMatchObject({
      valid: true,
    });
    expect((await call('create_workflow', { spec_json: spec })).text).toContain('name the owner of the workflow');
    expect((await call('create_workflow', { spec_json: spec, user: 'cleo' })).json).toMatchObject({
      next: expect.stringContaining(`torc --url ${server.url} run`) as string,
    });
  });

  it.each(['2024-11-05', '2025-11-25'])('a client of the protocol %s is answered', async (version) => {
    const response = await post(server, initialize(version));
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(`"protocolVersion":"${version}"`);
  });

  it('what is not a request of the protocol is refused, and the next one is answered', async () => {
    expect((await post(server, 'no json')).status).toBe(400);
    expect((await post(server, `"${'x'.repeat(17 * 2 ** 20)}"`)).status).toBe(413);
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(mcpOf(server), { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
    expect((await post(server, initialize('2025-11-25'))).status).toBe(200);
  });

  it('more calls than may be open are refused with a code, and the others are answered', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => post(server, initialize('2025-11-25'))));
    const statuses = Map.groupBy(answers, ({ status }) => status);
    expect(new Set(statuses.keys())).toEqual(new Set([200, 503]));
    expect(await statuses.get(503)?.[0]?.json()).toMatchObject({ error: { code: 'AGENTS_BUSY' } });
  });

  it('a server without --mcp serves no agents, and one with read-only offers no tool that changes something', async () => {
    const plain = await startServer(folder, { database: 'plain.db' });
    expect((await post(plain, initialize('2025-11-25'))).status).toBe(404);
    const careful = await startServer(folder, { database: 'careful.db', more: ['--mcp', 'read-only'] });
    const { client } = await agent(careful);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('explain_workflow');
    expect(names).not.toContain('create_workflow');
  });
});
