/**
 * Many runners at one server: how many jobs a second can it assign and complete, and how long does each wait?
 *
 * `node bench/claims.ts [runners] [jobs]`: 1,000 simulated runners with four slots each on loopback, 100,000 ready jobs in
 * four classes of needs. Once at their own pace, each turn a third of a second after the last, for the time that an
 * answer takes; once flat out, for what the server can do. No job may be assigned twice, and none may be lost.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../src/client/client.ts';
import type { Completion } from '../src/core/contract/exchange.ts';
import { connect } from '../src/client/node/connect.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { machine, startServer } from './support/processes.ts';

const { runners, jobs } = argumentsOf({ runners: 1_000, jobs: 100_000 });
const SLOTS = 4;
const CLASSES = [
  { name: 'small', num_cpus: 1, memory: '1g', runtime: 'PT1M' },
  { name: 'wide', num_cpus: 4, memory: '2g', runtime: 'PT1M' },
  { name: 'fat', num_cpus: 1, memory: '16g', runtime: 'PT10M' },
  { name: 'long', num_cpus: 2, memory: '4g', runtime: 'PT2H' },
];
/** While 1,000 runners connect at once, and the server's code is still cold. */
const START_MS = 3_000;
const folder = layOutPackage();
const { note, print } = createFigures();

/** Lets the runners work until no job is left; `pauseMs` is what their jobs take. */
async function measure(label: string, pauseMs: number, goals: boolean) {
  const server = await startServer(folder, workplace('claims'));
  const connection = connect({ url: server.url });
  const client = createClient(connection.send);
  const { id } = (await client.createWorkflow({ body: { name: 'claims', user: 'bench' } })) as { id: number };
  const needs: number[] = [];
  for (const each of CLASSES) {
    const { id: needId } = await client.createResourceRequirements({
      body: { workflow_id: id, num_gpus: 0, num_nodes: 1, ...each },
    });
    needs.push(needId);
  }
  for (let first = 0; first < jobs; first += 1_000) {
    const some = Array.from({ length: Math.min(1_000, jobs - first) }, (_, index) => ({
      workflow_id: id,
      name: `j${first + index}`,
      command: 'true',
      resource_requirements_id: needs[(first + index) % needs.length] as number,
    }));
    await client.createJobs({ body: { jobs: some } });
  }
  await client.initializeJobs({ params: { id } });
  const nodes: number[] = [];
  for (let index = 0; index < runners; index += 1) {
    const node = await client.createComputeNode({
      body: {
        workflow_id: id,
        hostname: `n${index}`,
        pid: 1,
        start_time: new Date().toISOString(),
        num_cpus: SLOTS,
        memory_gb: 64,
        num_gpus: 0,
        num_nodes: 1,
        compute_node_type: 'local',
      },
    });
    nodes.push(node.id);
  }

  const handed = new Set<number>();
  let twice = 0;
  let completions = 0;
  const waits: number[] = [];
  /** Those of turns that began after the start of all runners at once. */
  const laterWaits: number[] = [];
  const runner = async (nodeId: number) => {
    // As in life: a connection of its own, kept.
    const own = connect({ url: server.url });
    const { exchange } = createClient(own.send);
    await sleep(Math.random() * pauseMs);
    let completed: Completion[] = [];
    for (;;) {
      const asked = performance.now();
      const reply = await exchange({
        params: { id },
        body: {
          run_id: 0,
          compute_node_id: nodeId,
          completed,
          want: { limit: SLOTS, prefetch: 0, offer: { num_cpus: SLOTS, memory_gb: 64, num_gpus: 0, num_nodes: 1 } },
        },
      });
      waits.push(performance.now() - asked);
      if (asked - started > START_MS) laterWaits.push(performance.now() - asked);
      if (reply.errors.length > 0) throw new Error(JSON.stringify(reply.errors));
      completions += completed.length;
      for (const job of reply.jobs) {
        if (handed.has(job.id)) twice += 1;
        handed.add(job.id);
      }
      if (reply.jobs.length === 0) {
        own.close();
        return;
      }
      if (pauseMs > 0) await sleep(pauseMs * (0.5 + Math.random()));
      const completionTime = new Date().toISOString();
      completed = reply.jobs.map((job) => ({
        job_id: job.id,
        attempt_id: job.attempt_id,
        status: 'completed',
        return_code: 0,
        exec_time_minutes: pauseMs / 60_000,
        completion_time: completionTime,
      }));
    }
  };
  const before = server.use();
  const started = performance.now();
  await Promise.all(nodes.map(runner));
  const seconds = (performance.now() - started) / 1000;
  const { jobs_by_status: counts } = await client.getWorkflowStatus({ params: { id } });
  const after = server.use();
  connection.close();
  await server.stop();

  const at = (share: number, of = waits) =>
    of.sort((left, right) => left - right)[Math.floor(of.length * share)] as number;
  note(`${label}: claims and completions`, completions / seconds, 'jobs/s', goals ? { atLeast: 5_000 } : undefined);
  note(`${label}: requests`, waits.length / seconds, 'a second');
  note(`${label}: wait p50`, at(0.5), 'ms');
  note(`${label}: wait p99, the start of all at once included`, at(0.99), 'ms');
  if (goals) note(`${label}: wait p99 after the start`, at(0.99, laterWaits), 'ms', { atMost: 100 });
  note(`${label}: server CPU a job`, ((after.cpuSeconds - before.cpuSeconds) / jobs) * 1000, 'ms');
  note(`${label}: server memory`, after.peakMegabytes, 'MB', { atMost: 300 });
  note(`${label}: assigned twice`, twice, 'jobs', { atMost: 0 });
  note(`${label}: lost`, jobs - counts.completed, 'jobs', { atMost: 0 });
}

console.log(`${runners} runners, ${jobs} jobs in ${CLASSES.length} classes; ${machine()}`);
await measure('at their pace', 340, true);
await measure('flat out', 0, false);
print();
