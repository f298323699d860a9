/**
 * What does the service cost by itself: a request, a page of a million jobs, a big workflow, many listeners?
 *
 * `node bench/api.ts [jobs]`: a job a request on 64 connections beside a bare node:http server that answers as many bytes;
 * the first and the last page of a million jobs, their status and a restart; 100,000 jobs with 500,000 edges initialised;
 * 200 listeners of 500 events a second each, with the server's memory before and after.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../src/client/client.ts';
import { BASE_PATH } from '../src/core/contract/base-path.ts';
import { connect } from '../src/runner/send.ts';
import { createFigures } from './support/figures.ts';
import { bytesOf, load, open } from './support/http-load.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { type BenchServer, machine, startServer } from './support/processes.ts';

const MANY = Number(process.argv[2] ?? 1_000_000);
const BATCH = 20_000;
const CONNECTIONS = 64;
const REQUESTS = 40_000;
const LISTENERS = 200;
const EVENTS_A_SECOND = 500;
/** Until the heap has found its size. */
const WARM_UP_SECONDS = 10;
const LISTEN_SECONDS = 20;

const folder = layOutPackage();
const { note, print } = createFigures();
const portOf = ({ url }: BenchServer) => Number(new URL(url).port);
const clientOf = ({ url }: BenchServer) => createClient(connect({ url }).send);
const jobsOf = (workflowId: number, first: number, count: number, edges: (index: number) => number[]) =>
  Array.from({ length: count }, (_, index) => ({
    workflow_id: workflowId,
    name: `job_${first + index}`,
    command: 'true',
    depends_on_job_ids: edges(first + index),
  }));

/** Seconds of the fastest of a few: what it costs when nobody is in the way. */
async function fastest(times: number, work: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let time = 0; time < times; time += 1) {
    const began = performance.now();
    await work();
    best = Math.min(best, (performance.now() - began) / 1000);
  }
  return best;
}

async function jobARequest(): Promise<void> {
  const server = await startServer(folder, workplace('api'));
  const client = clientOf(server);
  const { id } = (await client.createWorkflow({ body: { name: 'api', user: 'bench' } })) as { id: number };
  const body = { workflow_id: id, name: 'job', command: 'python run.py --index 1' };
  const answer = JSON.stringify(await client.createJob({ body }));

  const bare = spawn(process.execPath, [join(import.meta.dirname, 'support/bare-server.ts'), String(answer.length)]);
  const [told] = (await once(bare.stdout, 'data')) as [Buffer];
  const barePort = Number(/PORT=(\d+)/.exec(String(told))?.[1]);
  const ask = (port: number) => {
    const bytes = bytesOf(port, 'POST', `${BASE_PATH}/jobs`, body);
    return () => bytes;
  };
  for (let round = 0; round < 4; round += 1) {
    const ceiling = await load(barePort, CONNECTIONS, REQUESTS, ask(barePort));
    const rate = await load(portOf(server), CONNECTIONS, REQUESTS, ask(portOf(server)));
    // The first warms both up.
    if (round === 0) continue;
    note('bare node:http', ceiling, 'requests/s');
    note('POST /jobs', rate, 'requests/s', { atLeast: 15_000 });
    note('POST /jobs, of bare node:http', rate / ceiling, '');
  }
  bare.kill();
  await server.stop();
}

async function aMillionJobs(): Promise<void> {
  const place = workplace('api');
  const server = await startServer(folder, place);
  const client = clientOf(server);
  const { id } = (await client.createWorkflow({ body: { name: 'many', user: 'bench' } })) as { id: number };
  const began = performance.now();
  for (let first = 0; first < MANY; first += BATCH) {
    await client.createJobs({ query: { reply: 'ids' }, body: { jobs: jobsOf(id, first, BATCH, () => []) } });
  }
  note('jobs created in bulk', MANY / ((performance.now() - began) / 1000), 'jobs/s');
  const page = (offset: number) => () => client.listJobs({ query: { workflow_id: id, limit: 100, offset } });
  note('page 1', (await fastest(5, page(0))) * 1000, 'ms', { atMost: 50 });
  note(`page at ${MANY - 100}`, (await fastest(5, page(MANY - 100))) * 1000, 'ms', { atMost: 50 });
  const status = () => client.getWorkflowStatus({ params: { id } });
  note('status', (await fastest(5, status)) * 1000, 'ms', { atMost: 5 });
  await server.stop();
  const started = performance.now();
  const again = await startServer(folder, place);
  note('restart', (performance.now() - started) / 1000, 's', { atMost: 2 });
  await again.stop();
}

async function aBigWorkflow(): Promise<void> {
  const server = await startServer(folder, workplace('api'));
  const client = clientOf(server);
  const { id } = (await client.createWorkflow({ body: { name: 'wide', user: 'bench' } })) as { id: number };
  // Each waits for five of the batch before.
  for (let first = 0; first < 120_000; first += BATCH) {
    const edges = (index: number) =>
      first === 0 ? [] : [0, 1, 2, 3, 4].map((step) => 1 + first - BATCH + ((index * 7 + step * 13) % BATCH));
    await client.createJobs({ query: { reply: 'ids' }, body: { jobs: jobsOf(id, first, BATCH, edges) } });
  }
  const began = performance.now();
  await client.initializeJobs({ params: { id } });
  note('initialise 120,000 jobs, 500,000 edges', (performance.now() - began) / 1000, 's', { atMost: 3 });
  await server.stop();
}

async function manyListeners(): Promise<void> {
  const server = await startServer(folder, workplace('api'));
  const client = clientOf(server);
  const { id } = (await client.createWorkflow({ body: { name: 'loud', user: 'bench' } })) as { id: number };
  const machineOf = { hostname: 'h', pid: 1, num_cpus: 1, memory_gb: 1, num_gpus: 0, num_nodes: 1 };
  const start = { start_time: '2026-01-01T00:00:00Z', compute_node_type: 'local' };
  const { id: node } = await client.createComputeNode({ body: { workflow_id: id, ...machineOf, ...start } });
  const path = `${BASE_PATH}/workflows/${id}/events/stream`;
  let heard = 0;
  const listeners = await Promise.all(Array.from({ length: LISTENERS }, () => open(portOf(server))));
  for (const socket of listeners) {
    socket.setEncoding('latin1').on('data', (part: string) => (heard += part.split('\nevent: ').length - 1));
    socket.write(bytesOf(portOf(server), 'GET', path));
  }
  await sleep(500);
  const memory = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024;
  const speak = async (seconds: number) => {
    const began = performance.now();
    const asked: Promise<unknown>[] = [];
    for (let said = 0; said < seconds * EVENTS_A_SECOND; said += 1) {
      const due = began + (said * 1000) / EVENTS_A_SECOND;
      if (due > performance.now()) await sleep(due - performance.now());
      asked.push(client.updateComputeNode({ params: { id: node as number }, body: { is_active: false } }));
    }
    await Promise.all(asked);
    return (performance.now() - began) / 1000;
  };
  await speak(WARM_UP_SECONDS);
  const before = memory();
  const seconds = await speak(LISTEN_SECONDS);
  const after = memory();
  await sleep(1_000);
  note('events said', (LISTEN_SECONDS * EVENTS_A_SECOND) / seconds, '/s');
  note('events heard, of those said', heard / ((LISTEN_SECONDS + WARM_UP_SECONDS) * EVENTS_A_SECOND * LISTENERS), '', {
    atLeast: 1,
  });
  note('server memory before', before, 'MB');
  note('server memory after', after, 'MB', { atMost: before * 1.2 });
  for (const socket of listeners) socket.destroy();
  await server.stop();
}

console.log(machine());
await jobARequest();
await aMillionJobs();
await aBigWorkflow();
await manyListeners();
print();
process.exit(0);
