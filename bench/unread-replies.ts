/**
 * How much memory does a server need for replies that no client reads, and for large bodies of telemetry?
 *
 * `node bench/unread-replies.ts [factor] [recipe...]`: a workflow of 100,000 jobs, whose list is a reply of 36 MB, and for each
 * recipe a new server on it. Beside the most memory that the process ever had stand the waits of a ping that is sent every
 * 50 ms, the processor time of the server, and the memory 20 s after all clients have left. With a factor of 0.1 there is a tenth
 * of the clients.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { createClient } from '../src/client/client.ts';
import { connect as connectClient } from '../src/client/node/connect.ts';
import { BASE_PATH } from '../src/core/contract/base-path.ts';
import { openStore } from '../src/telemetry/store/open-store.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { startPings } from './support/pings.ts';
import { type BenchServer, machine, startServer } from './support/processes.ts';
import { CLUSTER, linesOf, START } from './support/simulated-telemetry.ts';

const { factor, words: asked } = argumentsOf({ factor: 1 }, 'words');
const { note, print } = createFigures();
const JOBS = 100_000;
const A_CALL = 1_000;
const TOKEN = 'token-of-the-bench';
/** How long clients that do not read stay. */
const STAY_MS = 40_000;
const REST_MS = 20_000;
const MOST_MEGABYTES = { atMost: 500 };
const MOST_WAIT_MS = { atMost: 50 };

const folder = layOutPackage();
const place = workplace('unread-replies');
const sonar = join(place, 'sonar.db');
const many = (clients: number) => Math.max(1, Math.round(clients * factor));

/** Sends a request and reads nothing. */
async function askOnly(port: number, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`GET ${BASE_PATH}${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return socket;
}

const askMany = (port: number, clients: number, path: string) =>
  Promise.all(Array.from({ length: many(clients) }, () => askOnly(port, path)));

async function leaveUnread(port: number, clients: number, path: string): Promise<void> {
  const sockets = await askMany(port, clients, path);
  await after(STAY_MS);
  for (const socket of sockets) socket.destroy();
}

/** How long another client waits for a list of so many jobs. */
async function waitFor(port: number, limit: number): Promise<number> {
  const asked = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}${BASE_PATH}/jobs?workflow_id=1&limit=${limit}`);
  await response.arrayBuffer();
  if (!response.ok) console.log(`  a list of ${limit} jobs was refused: ${response.status}`);
  return performance.now() - asked;
}

const MEGABYTE = 1e6;
/** A body of 59 MB: of many envelopes, or of one. */
function telemetryBody(kind: 'many' | 'one', at: number): Buffer<ArrayBuffer> {
  const simulation = { shape: 'day' as const, nodes: 1, samples: 1, start: START + at * 1e6 };
  const lines =
    kind === 'one'
      ? linesOf({ ...simulation, processes: 335_000 })
      : linesOf({ ...simulation, samples: 2_000, processes: 300 });
  const body = Buffer.alloc(59 * MEGABYTE, ' ');
  let used = 0;
  for (const line of lines) {
    if (used + line.length > body.length) break;
    used += body.write(`${line}\n`, used);
  }
  return body.subarray(0, used);
}

async function postTelemetry(port: number, body: Buffer<ArrayBuffer>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(`http://127.0.0.1:${port}${BASE_PATH}/sonar/sample`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
      body,
    });
    const text = await response.text();
    if (response.ok) return;
    console.log(`  ${response.status} ${text.slice(0, 200)}`);
    if (response.status !== 503 || tries === 10) return;
    await after(Number(response.headers.get('retry-after') ?? 1) * 1000);
  }
}

const LIST = `/jobs?workflow_id=1&limit=${JOBS}`;
const recipes: Readonly<Record<string, (server: BenchServer) => Promise<void>>> = {
  '80-lists': ({ port }) => leaveUnread(port, 80, LIST),
  '150-lists': async ({ port }) => {
    const leaving = leaveUnread(port, 150, LIST);
    await after(1_000);
    note('150-lists: another waits for 20 jobs', await waitFor(port, 20), 'ms');
    await leaving;
  },
  '40-lists': ({ port }) => leaveUnread(port, 40, LIST),
  '150-leave': async ({ port }) => {
    for (const socket of await askMany(port, 150, LIST)) socket.destroy();
    note('150-leave: another waits for 20 jobs', await waitFor(port, 20), 'ms');
    note(`150-leave: and for ${JOBS} jobs`, await waitFor(port, JOBS), 'ms');
  },
  '10-read': async ({ port }) => {
    const waits = await Promise.all(Array.from({ length: many(10) }, () => waitFor(port, JOBS)));
    note('10-read: the longest wait of a client', Math.max(...waits), 'ms');
  },
  'one-body': async ({ port }) => postTelemetry(port, telemetryBody('many', 1)),
  'one-envelope': async ({ port }) => postTelemetry(port, telemetryBody('one', 20)),
  '12-bodies': async ({ port }) => {
    const bodies = Array.from({ length: many(12) }, (_, index) => telemetryBody('many', 30 + index));
    await Promise.all(bodies.map((body) => postTelemetry(port, body)));
  },
};

async function fill(): Promise<void> {
  const store = await openStore(sonar);
  await store.addCluster(CLUSTER, 0, TOKEN);
  await store.close();
  const server = await startServer(folder, place);
  const connection = connectClient({ url: server.url });
  const client = createClient(connection.send);
  const { id } = await client.createWorkflow({ body: { name: 'w', user: 'u' } });
  for (let from = 0; from < JOBS; from += A_CALL) {
    const jobs = Array.from({ length: A_CALL }, (_, index) => ({
      workflow_id: id as number,
      name: `job_${from + index}`,
      command: `bash work/step_${index % 97}.sh --input data/sample_${from + index}.fastq --out results/${from + index}.txt`,
    }));
    await client.createJobs({ body: { jobs } });
  }
  connection.close();
  await server.stop();
}

console.log(`memory for replies that no client reads; ${machine()}`);
await fill();
for (const [name, drive] of Object.entries(recipes)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const server = await startServer(folder, place, ['--sonar-store', sonar]);
  const pings = await startPings(server);
  const { seconds, cpuSeconds, longestMs, p99Ms } = await pings.during(() => drive(server));
  await after(REST_MS);
  const rest = server.resident();
  await pings.stop();
  const { peakMegabytes, cpuSeconds: all } = server.use();
  console.log(
    `  ${name}: ${seconds.toFixed(1)} s, ${all.toFixed(1)} s of processor time, ${cpuSeconds.toFixed(1)} s of it the main thread`,
  );
  note(`${name}: most memory`, peakMegabytes, 'MB', MOST_MEGABYTES);
  note(`${name}: memory 20 s later`, rest, 'MB');
  note(`${name}: pings, p99`, p99Ms, 'ms', MOST_WAIT_MS);
  note(`${name}: pings, longest`, longestMs, 'ms');
  await server.stop();
}
print();
