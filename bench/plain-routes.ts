/**
 * Many runners that know Torc's own routes only: how many jobs a second are claimed, started and completed?
 *
 * `node bench/plain-routes.ts [runners] [jobs]`: 1,000 connections that are kept, 30,000 ready jobs; each runner claims up to
 * four, and sends two requests for each, as the runners of Torc 1.0.0 do. Beside it the same requests to a bare server
 * that parses bodies, stores nothing and answers the same number of bytes.
 *
 * Each connection sends its next request as soon as it has the answer to the last one. So the mean wait is the number of
 * connections divided by the requests a second (Little's law), however evenly the server answers: a wait of 100 ms takes
 * 10,000 requests a second at 1,000 connections. The wait of the bare server shows what this machine permits.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createClient } from '../src/client/client.ts';
import { connect } from '../src/client/node/connect.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { converse, requestOf } from './support/load.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { machine, portOf, startServer, watchUse } from './support/processes.ts';

const { runners, jobs, rounds } = argumentsOf({ runners: 1_000, jobs: 30_000, rounds: 3 });
const SLOTS = 4;
/** A workflow that was initialized for the first time. */
const RUN = 0;
/** Connections that are opened at once; the kernel keeps few that are not yet accepted. */
const CONNECT_AT_ONCE = 100;
const API = '/torc-service/v1';
const folder = layOutPackage();
const { note, print } = createFigures();

interface Claimed {
  readonly id: number;
  readonly attempt_id?: number;
}

/** Sends what runners send until `jobsOf` finds no job in the answer of a claim; how long each request took, in ms. */
async function work(
  port: number,
  { id, nodes, jobsOf }: { id: number; nodes: readonly number[]; jobsOf: (answer: Buffer) => readonly Claimed[] },
) {
  const offer = JSON.stringify({ num_cpus: SLOTS, memory_gb: 64, num_gpus: 0, num_nodes: 1 });
  const claim = requestOf('POST', `${API}/workflows/${id}/claim_jobs_based_on_resources/${SLOTS}`, offer);
  const waits: number[] = [];
  let completed = 0;
  type Conversation = Awaited<ReturnType<typeof converse>>;
  const conversations: Conversation[] = [];
  for (let first = 0; first < nodes.length; first += CONNECT_AT_ONCE)
    conversations.push(
      ...(await Promise.all(nodes.slice(first, first + CONNECT_AT_ONCE).map(async () => converse(port)))),
    );
  const runner = async (node: number, index: number) => {
    const { send, end } = conversations[index] as Conversation;
    const timed = async (request: Buffer) => {
      const asked = performance.now();
      const answer = await send(request);
      waits.push(performance.now() - asked);
      return answer;
    };
    for (;;) {
      const claimed = jobsOf(await timed(claim));
      if (claimed.length === 0) break;
      for (const { id: job, attempt_id: attempt = 1 } of claimed) {
        await timed(requestOf('PUT', `${API}/jobs/${job}/start_job/${RUN}/${node}`));
        const result = {
          job_id: job,
          workflow_id: id,
          run_id: RUN,
          attempt_id: attempt,
          compute_node_id: node,
          return_code: 0,
          exec_time_minutes: 0.01,
          completion_time: new Date().toISOString(),
          status: 'completed',
        };
        await timed(requestOf('POST', `${API}/jobs/${job}/complete_job/completed/${RUN}`, JSON.stringify(result)));
        completed += 1;
      }
    }
    end();
  };
  const started = performance.now();
  await Promise.all(nodes.map(runner));
  const seconds = (performance.now() - started) / 1000;
  waits.sort((left, right) => left - right);
  return {
    perSecond: completed / seconds,
    completed,
    requestsPerSecond: waits.length / seconds,
    p99Ms: waits[Math.floor(waits.length * 0.99)] ?? 0,
  };
}

/** The same traffic, answered by a server that only speaks HTTP. */
async function floor(answer: string) {
  const bare = spawn(process.execPath, [join(import.meta.dirname, 'support/bare-server.ts'), answer], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let left = jobs;
  const four = Array.from({ length: SLOTS }, (_, index) => ({ id: index }));
  const jobsOf = () => {
    const some = four.slice(0, Math.min(left, SLOTS));
    left -= some.length;
    return some;
  };
  const nodes = Array.from({ length: runners }, (_, index) => index);
  const port = await portOf(bare);
  const watch = watchUse(bare.pid as number);
  const { cpuSeconds: before } = watch.stop();
  const { perSecond, p99Ms } = await work(port, { id: 1, nodes, jobsOf });
  const { cpuSeconds } = watch.stop();
  bare.kill();
  return { perSecond, p99Ms, cpuMs: ((cpuSeconds - before) / jobs) * 1000 };
}

async function measure() {
  const server = await startServer(folder, workplace('plain-routes'));
  const connection = connect({ url: server.url });
  const client = createClient(connection.send);
  const { id } = (await client.createWorkflow({ body: { name: 'plain', user: 'bench' } })) as { id: number };
  for (let first = 0; first < jobs; first += 1_000) {
    const some = Array.from({ length: Math.min(1_000, jobs - first) }, (_, index) => ({
      workflow_id: id,
      name: `j${first + index}`,
      command: 'true',
    }));
    await client.createJobs({ query: { reply: 'ids' }, body: { jobs: some } });
  }
  await client.initializeJobs({ params: { id }, query: {} });
  const resources = { num_cpus: SLOTS, memory_gb: 64, num_gpus: 0, num_nodes: 1 };
  const nodes: number[] = [];
  for (let index = 0; index < runners; index += 1) {
    const node = { hostname: `n${index}`, pid: 1, start_time: new Date().toISOString(), compute_node_type: 'local' };
    const made = await client.createComputeNode({ body: { workflow_id: id, ...node, ...resources } });
    nodes.push(made.id);
  }
  const example = JSON.stringify((await client.listJobs({ query: { workflow_id: id, limit: 1 } })).items[0]);
  const floorBefore = await floor(example);
  const before = server.use();
  const worked = await work(server.port, {
    id,
    nodes,
    jobsOf: (answer) => (JSON.parse(answer.toString()) as { jobs?: Claimed[] }).jobs ?? [],
  });
  const after = server.use();
  const floorAfter = await floor(example);
  const { jobs_by_status: counts } = await client.getWorkflowStatus({ params: { id } });
  connection.close();
  await server.stop();
  const bareRate = 2 / (1 / floorBefore.perSecond + 1 / floorAfter.perSecond);
  const mean = (field: 'p99Ms' | 'cpuMs') => (floorBefore[field] + floorAfter[field]) / 2;
  const cpuMs = ((after.cpuSeconds - before.cpuSeconds) / jobs) * 1000;
  note('claimed, started and completed', worked.perSecond, 'jobs/s');
  note('the same requests to a bare server', bareRate, 'jobs/s');
  note('of a bare server that stores nothing', worked.perSecond / bareRate, '', { atLeast: 0.5 });
  note('wait p99', worked.p99Ms, 'ms', { atMost: 100 });
  note('wait mean: connections / requests a second', (runners / worked.requestsPerSecond) * 1000, 'ms');
  note('wait p99 of the bare server', mean('p99Ms'), 'ms');
  note('server memory', after.peakMegabytes, 'MB', { atMost: 300 });
  note('server CPU a job', cpuMs, 'ms');
  note('CPU a job of the bare server', mean('cpuMs'), 'ms');
  note('lost', jobs - counts.completed, 'jobs', { atMost: 0 });
  note('completed twice', worked.completed - counts.completed, 'jobs', { atMost: 0 });
}

console.log(`${runners} runners on plain routes, ${jobs} jobs; ${machine()}`);
for (let round = 1; round <= rounds; round += 1) {
  console.log(`round ${round}`);
  await measure();
}
print();
