/**
 * How fast is the service itself: small writes, pages and counts of a million jobs, a large initialization, a restart,
 * and many listeners.
 *
 * `node bench/api.ts [posts] [part,part]`: one process sends, one answers, each on a core of its own.
 */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { get } from 'node:http';
import { type Client, createClient } from '../src/client/client.ts';
import { connect } from '../src/client/node/connect.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { load } from './support/load.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { type BenchServer, machine, startServer, portOf } from './support/processes.ts';

const { posts, words } = argumentsOf({ posts: 50_000 }, 'words');
const CONNECTIONS = 64;
const MILLION = 1_000_000;
const folder = layOutPackage();
const { note, print } = createFigures();

async function withServer<T>(cwd: string, work: (server: BenchServer, client: Client) => Promise<T>): Promise<T> {
  const server = await startServer(folder, cwd);
  const connection = connect({ url: server.url });
  try {
    return await work(server, createClient(connection.send));
  } finally {
    connection.close();
    await server.stop();
  }
}

const seconds = async (work: () => Promise<unknown>) => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};
const milliseconds = async (work: () => Promise<unknown>, times = 21) => {
  const found: number[] = [];
  for (let index = 0; index < times; index += 1) found.push((await seconds(work)) * 1000);
  return found.sort((left, right) => left - right)[Math.floor(times / 2)] as number;
};

const newWorkflow = async (client: Client) =>
  ((await client.createWorkflow({ body: { name: 'api', user: 'bench' } })) as { id: number }).id;

/** Creates jobs by the thousand; each may depend on those before it. */
async function createJobs(
  client: Client,
  id: number,
  count: number,
  dependencies: (index: number) => number[] = () => [],
) {
  for (let first = 0; first < count; first += 1_000) {
    const jobs = Array.from({ length: Math.min(1_000, count - first) }, (_, offset) => ({
      workflow_id: id,
      name: `j${first + offset}`,
      command: 'true',
      depends_on_job_ids: dependencies(first + offset),
    }));
    await client.createJobs({ query: { reply: 'ids' }, body: { jobs } });
  }
}

async function smallWrites() {
  await withServer(workplace('api'), async (server, client) => {
    const id = await newWorkflow(client);
    const body = JSON.stringify({ workflow_id: id, name: 'job', command: 'true' });
    const sent = { path: '/torc-service/v1/jobs', body, connections: CONNECTIONS };
    const bare = spawn(process.execPath, [join(import.meta.dirname, 'support/bare-server.ts'), body], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const barePort = await portOf(bare);
    for (const port of [server.port, barePort]) await load(port, { ...sent, requests: 5_000 });
    for (let round = 1; round <= 3; round += 1) {
      const floor = await load(barePort, { ...sent, requests: posts });
      const before = server.use();
      const { perSecond, p50Ms, p99Ms } = await load(server.port, { ...sent, requests: posts });
      const { cpuSeconds } = server.use();
      note('POST /jobs, 64 connections', perSecond, 'a second', { atLeast: 15_000 });
      note('POST /jobs, of a bare server that stores nothing', perSecond / floor.perSecond, '');
      note('POST /jobs, wait p50', p50Ms, 'ms');
      note('POST /jobs, wait p99', p99Ms, 'ms');
      note('POST /jobs, server CPU', ((cpuSeconds - before.cpuSeconds) / posts) * 1e6, 'µs');
      note('bare server', floor.perSecond, 'a second');
    }
    bare.kill();
  });
}

async function millionJobs() {
  const cwd = workplace('api');
  await withServer(cwd, async (server, client) => {
    const id = await newWorkflow(client);
    note('a million jobs: create in thousands', await seconds(() => createJobs(client, id, MILLION)), 's');
    await client.initializeJobs({ params: { id }, query: {} });
    const page = (offset: number) => () => client.listJobs({ query: { workflow_id: id, limit: 100, offset } });
    note('a million jobs: page 1 of 100', await milliseconds(page(0)), 'ms', { atMost: 50 });
    note('a million jobs: page 5,000', await milliseconds(page(MILLION / 2)), 'ms', { atMost: 50 });
    note('a million jobs: page 10,000', await milliseconds(page(MILLION - 100)), 'ms', { atMost: 50 });
    const status = () => client.getWorkflowStatus({ params: { id } });
    note('a million jobs: status counts', await milliseconds(status), 'ms', { atMost: 5 });
    const ids = await seconds(() => client.listJobIds({ params: { id } }));
    note('a million jobs: all ids', ids, 's', { atMost: 2 });
    note('a million jobs: server memory', server.use().peakMegabytes, 'MB');
  });
  const restart = await seconds(() =>
    withServer(cwd, async (_, client) => {
      await client.listJobs({ query: { workflow_id: 1, limit: 1 } });
    }),
  );
  note('a million jobs: start, answer and stop again', restart, 's', { atMost: 2 });
}

/** Lists as a program reads them, plain and compressed. */
async function largeReads() {
  await withServer(workplace('api'), async (server, client) => {
    const id = await newWorkflow(client);
    await createJobs(client, id, 10_000);
    const list = async (encoding: string) => {
      const headers = { 'Accept-Encoding': encoding };
      const reply = await fetch(`${server.url}/jobs?workflow_id=${id}&limit=10000`, { headers });
      if (!reply.ok) throw new Error(await reply.text());
      await reply.arrayBuffer();
    };
    for (const encoding of ['identity', 'gzip', 'zstd']) {
      for (let warm = 0; warm < 10; warm += 1) await list(encoding);
      const before = server.use();
      for (let time = 0; time < 20; time += 1) await list(encoding);
      const after = server.use();
      const each = (seconds: number) => (seconds / 20) * 1000;
      const first = each(after.firstThreadSeconds - before.firstThreadSeconds);
      note(`list 10,000 jobs, ${encoding}: server CPU`, each(after.cpuSeconds - before.cpuSeconds), 'ms');
      note(`list 10,000 jobs, ${encoding}: of its first thread`, first, 'ms', { atMost: 30 });
    }
  });
}

async function manyEdges() {
  await withServer(workplace('api'), async (_, client) => {
    const id = await newWorkflow(client);
    const jobs = 100_000;
    // Layers of 1,000, each job after five of the layer before: ids begin at 1 in a fresh database.
    const five = (index: number) =>
      index < 1_000
        ? []
        : [0, 1, 2, 3, 4].map((step) => index - 1_000 - (index % 1_000) + ((index + step * 199) % 1_000) + 1);
    await createJobs(client, id, jobs, five);
    const { total_count: edges } = await client.listJobDependencies({ params: { id }, query: { limit: 1 } });
    const took = await seconds(() => client.initializeJobs({ params: { id }, query: {} }));
    note(`initialize 100,000 jobs with ${edges} edges`, took, 's', { atMost: 3 });
  });
}

/** 200 listeners of workflows in which 500 jobs a second end. */
async function manyListeners() {
  const [LISTENERS, PER_SECOND, SECONDS] = [200, 500, 20];
  await withServer(workplace('api'), async (server, client) => {
    const id = await newWorkflow(client);
    let heard = 0;
    const sockets = Array.from({ length: LISTENERS }, () =>
      get(`${server.url}/workflows/${id}/events/stream?level=debug`, (response) => {
        response.setEncoding('latin1').on('data', (text: string) => {
          heard += text.split('event: ').length - 1;
        });
      }),
    );
    await sleep(500);
    await createJobs(client, id, PER_SECOND * (SECONDS + 5));
    const { job_ids: jobIds } = await client.listJobIds({ params: { id } });
    /** Sets jobs aside, which is an event each, at most this many a second and eight at a time. */
    const events = async (from: number, count: number) => {
      const started = performance.now();
      let made = 0;
      const work = async () => {
        while (made < count) {
          const jobId = jobIds[from + made] as number;
          made += 1;
          const ahead = (made / PER_SECOND) * 1000 - (performance.now() - started);
          if (ahead > 1) await sleep(ahead);
          await client.manageStatusChange({ params: { id: jobId, status: 'disabled', run_id: 0 } });
        }
      };
      await Promise.all(Array.from({ length: 8 }, work));
      return count / ((performance.now() - started) / 1000);
    };
    await events(0, PER_SECOND * 5);
    await sleep(500);
    const early = server.resident();
    const [before, at] = [heard, performance.now()];
    const rate = await events(PER_SECOND * 5, PER_SECOND * SECONDS);
    await sleep(500);
    const passed = (performance.now() - at) / 1000;
    note('200 listeners: events made', rate, 'a second');
    note('200 listeners: events heard by each', (heard - before) / LISTENERS / (passed - 0.5), 'a second');
    note(
      '200 listeners: events that did not arrive',
      1 - (heard - before) / LISTENERS / (PER_SECOND * SECONDS),
      'of all',
      { atMost: 0 },
    );
    note('200 listeners: memory at first', early, 'MB');
    note('200 listeners: growth of memory', server.resident() - early, 'MB', { atMost: 30 });
    for (const socket of sockets) socket.destroy();
  });
}

console.log(machine());
const asked = words[0]?.split(',');
const parts = { smallWrites, largeReads, manyEdges, manyListeners, millionJobs };
for (const [name, measure] of Object.entries(parts)) if (asked?.includes(name) ?? true) await measure();
print();
