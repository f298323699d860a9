import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import type { Envelope } from '../../src/core/contract/sonar/envelope.ts';
import { formatTimestamp } from '../../src/core/contract/sonar/timestamp.ts';
import { servedPaths } from '../../src/telemetry/questions/v2/api-v2.ts';
import { openStore } from '../../src/telemetry/store/open-store.ts';
import { start, startServer, temporaryFolder, torc } from '../support/programs.ts';
import { everyField } from './every-field.ts';

const START = 1_772_323_200;
const PASSWORD = 'velvet harbour 99 lanterns';
const written = (envelope: Envelope): string => encodeEnvelope(envelope, unchangedCompat);

const sampleAt = (seconds: number, { user = 'ada', cluster = 'fox.test' } = {}): string =>
  written({
    meta: { producer: 'sonar', version: '0.19.0' },
    data: {
      type: 'sample',
      attributes: {
        time: formatTimestamp(START + seconds),
        cluster,
        node: 'n1',
        system: { cpus: [seconds] },
        jobs: [{ job: 7, user, processes: [{ pid: 1, cpu_time: seconds }] }],
      },
    },
  });

interface Answer {
  readonly status: number;
  readonly body: {
    readonly stored?: number;
    readonly repeated?: number;
    readonly refused?: number;
    readonly envelopes?: readonly { verdict: string; problem?: string }[];
    readonly items?: readonly Readonly<Record<string, unknown>>[];
    readonly error?: { readonly code: string; readonly message: string };
  };
}

/** A server that receives telemetry of a cluster, and what sends and asks. */
async function receiving(more: readonly string[] = []) {
  const cwd = temporaryFolder();
  const added = await torc(['sonar', 'clusters', 'add', 'fox.test', '--new-token', '-f', 'json'], { cwd });
  const { token } = JSON.parse(added.stdout) as { token: string };
  expect((await torc(['sonar', 'clusters', 'add', 'wolf.test'], { cwd })).code).toBe(0);
  const { url, program } = await startServer(cwd, { more: ['--sonar-store', 'sonar.db', ...more] });
  const request = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(new URL(path, `${url}/`), init);
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, body: isJson ? ((await response.json()) as Answer['body']) : {} };
  };
  const basic = (user: string, secret: string) => ({ Authorization: `Basic ${btoa(`${user}:${secret}`)}` });
  return {
    cwd,
    token,
    program,
    basic,
    post: (
      body: string | Uint8Array<ArrayBuffer>,
      headers: Record<string, string> = basic('fox.test', token),
      path = 'sonar/sample',
    ) => request(`${url}/${path}`, { method: 'POST', body, headers }),
    postAt: (path: string, body: string) => request(path, { method: 'POST', body, headers: basic('fox.test', token) }),
    get: (path: string, headers: Record<string, string> = {}) => request(path, { headers }),
    ask: (question: string, headers: Record<string, string> = {}) =>
      request(`${url}/sonar/show/${question}`, { headers }),
    stored: async () => {
      const store = await openStore(join(cwd, 'sonar.db'), { isReadOnly: true });
      const texts = await Array.fromAsync(store.envelopes(), ({ envelope }) => written(envelope));
      await store.close();
      return texts;
    },
  };
}

describe('a server that receives telemetry', () => {
  let server: Awaited<ReturnType<typeof receiving>>;
  beforeAll(async () => {
    server = await receiving();
  });

  it('stores an envelope before it says so, once, under every path that senders use', async () => {
    const { post, postAt, token, stored } = server;
    const text = sampleAt(1);
    expect(await post(text)).toMatchObject({ status: 200, body: { stored: 1 } });
    expect(await stored()).toEqual([text]);
    const packed = await post(
      gzipSync(text),
      { ...server.basic('fox.test', token), 'Content-Encoding': 'gzip' },
      'sonar/site.sample',
    );
    expect(packed).toMatchObject({ status: 200, body: { stored: 0, repeated: 1 } });
    expect(await postAt('/api/v1/insert/sample', text)).toMatchObject({ status: 200, body: { repeated: 1 } });
    expect(await stored()).toEqual([text]);
  });

  it('a server that receives telemetry takes every field of the format, and exports it', async () => {
    for (const [type, envelope] of Object.entries(everyField)) {
      const answer = await server.post(written(envelope), undefined, `sonar/${type}`);
      expect({ type, ...answer }).toMatchObject({ type, status: 200, body: { stored: 1 } });
    }
    const { stdout } = await torc(['sonar', 'export', '--from', '2026-02-28', '--to', '2026-03-03'], {
      cwd: server.cwd,
    });
    const lines = new Set(stdout.split('\n'));
    expect(Object.values(everyField).filter((envelope) => !lines.has(written(envelope)))).toEqual([]);
  });

  it('a server that receives telemetry gives a verdict for each of several envelopes, and refuses a single wrong one', async () => {
    const bad = sampleAt(3).replace('"pid":1', '"pid":-1');
    const several = await server.post([sampleAt(2), bad, sampleAt(4), sampleAt(2)].join('\n'));
    expect(several).toMatchObject({ status: 200, body: { stored: 2, repeated: 1, refused: 1 } });
    expect(several.body.envelopes?.map(({ verdict }) => verdict)).toEqual(['stored', 'refused', 'stored', 'repeated']);
    expect(several.body.envelopes?.[1]?.problem).toContain('pid: found -1; expected an integer');
    expect(await server.post(bad)).toMatchObject({ status: 422, body: { refused: 1 } });
  });

  it('a server that receives telemetry accepts the token of the cluster as a login, as Bearer and in meta, and stores it nowhere', async () => {
    const { post, token, cwd } = server;
    expect(await post(sampleAt(10), { Authorization: `Bearer ${token}` })).toMatchObject({ status: 200 });
    const inMeta = sampleAt(11).replace('"version"', `"token":"${token}","version"`);
    expect(await post(inMeta, {})).toMatchObject({ status: 200, body: { stored: 1 } });
    expect(readFileSync(join(cwd, 'sonar.db')).includes(token)).toBe(false);
    expect(readFileSync(join(cwd, 'sonar.db-wal')).includes(token)).toBe(false);
  });

  it('a server that receives telemetry refuses who cannot prove to be the cluster, and stores nothing of such a request', async () => {
    const { post, token, basic, stored } = server;
    const before = (await stored()).length;
    const refused = await Promise.all([
      post(sampleAt(20), {}),
      post(sampleAt(20), basic('fox.test', 'wrong')),
      post(sampleAt(20), basic('wolf.test', token)),
      post(sampleAt(20, { cluster: 'wolf.test' }), { Authorization: `Bearer ${token}` }),
      post(`${sampleAt(20)}${sampleAt(20, { cluster: 'wolf.test' })}`, { Authorization: `Bearer ${token}` }),
      post('nonsense', {}),
    ]);
    expect(refused.map(({ status, body }) => [status, body.error?.code])).toEqual(
      refused.map(() => [401, 'TELEMETRY_DENIED']),
    );
    expect(await stored()).toHaveLength(before);
  });

  it('a server that receives telemetry refuses what is larger than 64 MB when it is unpacked, and what is nested too deeply, and goes on', async () => {
    const { post, basic, token } = server;
    const bomb = gzipSync(Buffer.alloc(70 * 2 ** 20, 0x20));
    const packed = { ...basic('fox.test', token), 'Content-Encoding': 'gzip' };
    expect(await post(new Uint8Array(bomb), packed)).toMatchObject({
      status: 413,
      body: { error: { code: 'BODY_TOO_LARGE' } },
    });
    expect(await post(new Uint8Array(bomb.subarray(0, 1000)), packed)).toMatchObject({ status: 400 });
    expect(await post(`{"a":${'['.repeat(100_000)}`)).toMatchObject({ status: 422 });
    expect(await post(sampleAt(30))).toMatchObject({ status: 200, body: { stored: 1 } });
  });

  it('a server answers the paths of slurm-monitor about clusters and nodes', async () => {
    const { post, get } = server;
    const running = (nodes: readonly string[], id: number) => ({
      job_id: id,
      job_state: 'RUNNING',
      nodes,
      sacct: { AllocTRES: 'billing=8,cpu=8,gres/gpu=2,mem=16G,node=2' },
    });
    const jobs = written({
      meta: { producer: 'sonar', version: '0.19.0' },
      data: {
        type: 'job',
        attributes: {
          time: formatTimestamp(START),
          cluster: 'fox.test',
          slurm_jobs: [running(['c1-[1-2]'], 1), running(['c1-2', 'c2'], 2)],
        },
      },
    });
    const errors = written({ meta: everyField.sample.meta, errors: everyField.sample.data.attributes.errors ?? [] });
    for (const each of [...Object.values(everyField).map(written), jobs, errors])
      expect((await post(each)).status).toBe(200);
    const at = `time_in_s=${START + 3600}`;
    expect((await get(`/api/v2/cluster?${at}`)).body).toMatchObject([
      { cluster: 'fox.test', slurm: 1, partitions: ['normal'], nodes: ['c1-1', 'c1-2.fox.test', 'n1'] },
    ]);
    expect((await get(`/api/v2/cluster/fox.test/nodes?${at}`)).body).toEqual(['c1-1', 'c1-2.fox.test', 'n1']);
    const info = await get(`/api/v2/cluster/fox.test/nodes/info?${at}`);
    expect(info.body).toMatchObject({
      'c1-2.fox.test': {
        time: '2026-02-28T23:00:01+00:00',
        os_name: 'Linux',
        sockets: 2,
        memory: 790_000_001,
        partitions: ['normal'],
        cards: [{ uuid: 'GPU-0a1b', index: 3, node: 'c1-2.fox.test' }, { uuid: 'GPU-2' }],
        // Half of each of two jobs.
        alloc_tres: { cpu: 8, memory: 16 * 1024 ** 2, gpu: 2, node: 1, billing: 8 },
      },
    });
    expect((await get(`/api/v2/cluster/fox.test/nodes/c1-2/info?${at}`)).body).toEqual(info.body);
    const states = { time: '2026-02-28T23:15:00+00:00', cluster: 'fox.test', states: ['MIXED', 'DRAIN'] };
    expect((await get(`/api/v2/cluster/fox.test/nodes/states?${at}`)).body).toEqual([
      { ...states, node: 'c1-1' },
      { ...states, node: 'c1-2' },
    ]);
    expect((await get(`/api/v2/cluster/fox.test/nodes/c1-2.fox.test/states?${at}`)).body).toEqual([
      { ...states, node: 'c1-2' },
    ]);
    const probes = (await get(`/api/v2/cluster/fox.test/nodes/last_probe_timestamp?${at}`)).body;
    expect(probes).toMatchObject({ 'c1-1': null, 'c1-2.fox.test': null });
    expect((await get(`/api/v2/cluster/fox.test/error_messages?${at}`)).body).toMatchObject({
      'c1-2.fox.test': { details: 'nvidia-smi ended with code 9', time: '2026-02-28T23:59:59+01:00' },
    });
    for (const path of ['cluster/wolf/nodes', 'cluster/fox.test/nodes/zappa/info', 'cluster/fox.test/%ff', 'weather'])
      expect([path, (await get(`/api/v2/${path}`)).status]).toEqual([path, 404]);
  });

  it('a server that receives telemetry answers questions, and says which parameter is wrong', async () => {
    const range = 'from=2026-02-28T00:00:00Z&to=2026-03-03T00:00:00%2B01:00';
    const jobs = await server.ask(`jobs?${range}&cluster=fox.test&node=n1`);
    expect(jobs.body.items).toMatchObject([{ job: 7, user: 'ada', nodes: ['n1'], first: '2026-03-01T00:00:01+00:00' }]);
    for (const question of [
      'load',
      'profile?job=7',
      'uptime',
      'nodes',
      'cards',
      'queue',
      'report?kind=users',
      'clusters',
    ])
      expect((await server.ask(question)).status, question).toBe(200);
    expect(await server.ask('report?kind=whales')).toMatchObject({
      status: 400,
      body: { error: { code: 'PARAMETER_REFUSED' } },
    });
    expect(await server.ask('jobs?from=yesterday')).toMatchObject({ status: 400 });
    expect(await server.ask('weather')).toMatchObject({ status: 404, body: { error: { code: 'ROUTE_UNKNOWN' } } });
  });
});

it('a server that is killed after it acknowledged has everything that it acknowledged, and a repeated request changes nothing', async () => {
  const { post, program, stored, cwd, token, basic } = await receiving();
  const texts = Array.from({ length: 60 }, (_, index) => sampleAt(index));
  const acknowledged: string[] = [];
  const sending = Promise.allSettled(
    texts.map(async (text) => {
      if ((await post(text)).status === 200) acknowledged.push(text);
      if (acknowledged.length === 20) program.child.kill('SIGKILL');
    }),
  );
  await sending;
  await program.ended;
  const kept = new Set(await stored());
  expect(acknowledged.length).toBeGreaterThanOrEqual(20);
  expect(acknowledged.filter((text) => !kept.has(text))).toEqual([]);
  const { url } = await startServer(cwd, { database: 'again.db', more: ['--sonar-store', 'sonar.db'] });
  const again = await fetch(`${url}/sonar/sample`, {
    method: 'POST',
    body: texts.toReversed().join(''),
    headers: basic('fox.test', token),
  });
  expect(await again.json()).toMatchObject({ refused: 0 });
  expect(await stored()).toEqual(texts);
});

it('a page of an allowed origin asks /api/v2, another one does not, and /api/v2/docs lists what is answered', async () => {
  const cwd = temporaryFolder();
  expect((await torc(['sonar', 'clusters', 'add', 'fox.test'], { cwd })).code).toBe(0);
  const dashboard = 'https://dashboard.example.org';
  const { url } = await startServer(cwd, { more: ['--sonar-store', 'sonar.db', '--allowed-origin', dashboard] });
  const get = (path: string, origin: string, method = 'GET', headers: Readonly<Record<string, string>> = {}) =>
    fetch(new URL(path, url), { method, headers: { ...headers, Origin: origin } });
  const answered = await get('/api/v2/cluster', dashboard);
  expect([answered.status, answered.headers.get('access-control-allow-origin')]).toEqual([200, dashboard]);
  const headers = { 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'authorization' };
  const asked = await get('/api/v2/cluster', dashboard, 'OPTIONS', headers);
  expect([asked.status, asked.headers.get('access-control-allow-headers')]).toEqual([204, 'authorization']);
  expect((await get('/api/v2/cluster', 'https://other.example.org')).status).toBe(403);
  const page = await get('/api/v2/docs', dashboard);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const text = await page.text();
  for (const path of [
    'cluster',
    ...servedPaths.map((each) => `cluster/{cluster}/${each.replaceAll(/:(\w+)/g, '{$1}')}`),
  ])
    expect(text).toContain(`<code>/api/v2/${path}</code>`);
});

it('with access control, users see their own jobs and administrators see all', async () => {
  const cwd = temporaryFolder();
  for (const name of ['ada', 'root']) {
    const words = ['add', '--file', 'users', '--cost', '4', name];
    const added = await start('torc-htpasswd', words, { cwd, input: `${PASSWORD}\n` }).ended;
    expect(added).toMatchObject({ code: 0 });
  }
  const { post, ask, get, basic } = await receiving([
    '--auth-file',
    join(cwd, 'users'),
    '--require-auth',
    '--enforce-access-control',
    '--admin-user',
    'root',
  ]);
  expect(await post(sampleAt(1) + sampleAt(2, { user: 'bob' }))).toMatchObject({ status: 200, body: { stored: 2 } });
  const range = 'jobs?from=2026-02-28T00:00:00Z&to=2026-03-03T00:00:00Z';
  const usersSeenBy = async (name: string) =>
    (await ask(range, basic(name, PASSWORD))).body.items?.map(({ user }) => user).toSorted();
  expect(await usersSeenBy('ada')).toEqual(['ada']);
  expect(await usersSeenBy('root')).toEqual(['ada', 'bob']);
  expect((await ask(range)).status).toBe(401);
  expect((await get('/api/v2/cluster')).status).toBe(401);
  expect(await get('/api/v2/cluster', basic('ada', PASSWORD))).toMatchObject({ status: 200 });
});

it('a server without a store of telemetry receives nothing, and says that it keeps none', async () => {
  const { url } = await startServer(temporaryFolder());
  expect((await fetch(`${url}/sonar/sample`, { method: 'POST', body: sampleAt(1) })).status).toBe(404);
  const asked = await fetch(`${url}/sonar/show/jobs`);
  expect([asked.status, await asked.json()]).toMatchObject([404, { error: { code: 'TELEMETRY_NOT_KEPT' } }]);
});

describe('large bodies of telemetry', () => {
  let server: Awaited<ReturnType<typeof receiving>>;
  beforeAll(async () => {
    server = await receiving();
  });

  it('a body of several MiB is stored envelope by envelope, or not at all where one is of another cluster', async () => {
    const filler = 'x'.repeat(20_000);
    const large = (seconds: number, about = {}) => sampleAt(seconds, { user: `${filler}${seconds}`, ...about });
    const lines = Array.from({ length: 150 }, (_, index) => large(1_000 + index));
    const before = (await server.stored()).length;
    const foreign = await server.post([...lines, large(1_200, { cluster: 'wolf.test' })].join('\n'));
    expect([foreign.status, foreign.body.error?.code]).toEqual([401, 'TELEMETRY_DENIED']);
    expect((await server.stored()).length).toBe(before);
    const bad = large(1_300).replace('"pid":1', '"pid":-1');
    const answer = await server.post([...lines, bad].join('\n'));
    expect(answer).toMatchObject({ status: 200, body: { stored: 150, refused: 1 } });
    expect(answer.body.envelopes?.at(-1)).toMatchObject({
      record: 151,
      verdict: 'refused',
      problem: expect.stringContaining('pid: found -1'),
    });
    expect((await server.stored()).length).toBe(before + 150);
    // One that is larger than a block.
    const single = sampleAt(1_400, { user: 'y'.repeat(3_000_000) });
    expect(await server.post(single)).toMatchObject({ status: 200, body: { stored: 1 } });
    expect(await server.post(single)).toMatchObject({ status: 200, body: { repeated: 1 } });
  });

  it('an envelope of so many values that they would take the memory of the server is refused, and others beside it are stored', async () => {
    const many = sampleAt(1_500).replace('"processes":[', `"processes":[${'{},'.repeat(2_100_000)}`);
    const answer = await server.post(`${many}\n${sampleAt(1_501)}`);
    expect(answer).toMatchObject({ status: 200, body: { stored: 1, refused: 1 } });
    expect(answer.body.envelopes?.[0]?.problem).toContain('4000000 values');
  });
});
