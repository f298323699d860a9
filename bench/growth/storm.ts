import { createClient } from '../../src/client/client.ts';
import { connect } from '../../src/client/node/connect.ts';
import type { ExchangeReply } from '../../src/core/contract/exchange.ts';
import { converse, requestOf } from '../support/load.ts';
import { workplace } from '../support/package.ts';
import { createFlat } from '../support/page-workload.ts';
import { startPings } from '../support/pings.ts';
import { startServer } from '../support/processes.ts';
import { type Part, scaled } from './part.ts';

const RUNNERS = [1_000, 3_000, 10_000];
const SLOTS = 4;
/** Jobs that each runner has done when it leaves. */
const JOBS_EACH = 8;
/** Connections that are opened at once; the kernel keeps few that are not yet accepted. */
const CONNECT_AT_ONCE = 100;
const API = '/torc-service/v1';

/** All runners register, get jobs, report their ends and leave, each as soon as it has the last reply. */
export async function measureStorm({ folder, factor, note }: Part): Promise<void> {
  for (const runners of scaled(RUNNERS, factor)) {
    const server = await startServer(folder, workplace('growth-storm'));
    const connection = connect({ url: server.url });
    const client = createClient(connection.send);
    const id = await createFlat(client, runners * JOBS_EACH);
    const pings = await startPings(server);
    const before = server.use();
    const firstJobMs: number[] = [];
    let completed = 0;
    /** One more turn of each runner, which gets no job. */
    const waiting: (() => Promise<unknown>)[] = [];
    const runner = async (index: number, send: (request: Buffer) => Promise<Buffer>) => {
      const arrived = performance.now();
      const ask = async <Reply>(path: string, body: unknown): Promise<Reply> =>
        JSON.parse((await send(requestOf('POST', API + path, JSON.stringify(body)))).toString()) as Reply;
      const size = { num_cpus: SLOTS, memory_gb: 64, num_gpus: 0, num_nodes: 1 };
      const node = { workflow_id: id, hostname: `n${index}`, pid: 1, start_time: new Date().toISOString() };
      const { id: nodeId } = await ask<{ id: number }>('/compute_nodes', {
        ...node,
        ...size,
        compute_node_type: 'local',
      });
      const turn = { run_id: 1, compute_node_id: nodeId, want: { limit: SLOTS, prefetch: 0, offer: size } };
      let reply = await ask<ExchangeReply>(`/workflows/${id}/exchange`, { ...turn, turn: 1, setup: true });
      firstJobMs.push(performance.now() - arrived);
      for (let number = 2; reply.jobs.length > 0; number += 1) {
        completed += reply.jobs.length;
        const ends = reply.jobs.map(({ id: job, attempt_id: attempt }) => ({
          job_id: job,
          attempt_id: attempt,
          status: 'completed',
          return_code: 0,
          exec_time_minutes: 0.01,
          completion_time: new Date().toISOString(),
        }));
        reply = await ask<ExchangeReply>(`/workflows/${id}/exchange`, { ...turn, turn: number, completed: ends });
      }
      waiting.push(() => ask(`/workflows/${id}/exchange`, { ...turn, turn: 1_000 }));
    };
    const { seconds, workedMs, longestMs } = await pings.during(async () => {
      const all: Promise<void>[] = [];
      for (let first = 0; first < runners; first += CONNECT_AT_ONCE) {
        const some = Array.from({ length: Math.min(CONNECT_AT_ONCE, runners - first) }, async (_, index) => {
          const { send } = await converse(server.port);
          all.push(runner(first + index, send));
        });
        await Promise.all(some);
      }
      await Promise.all(all);
    });
    const after = server.use();
    await Promise.all(waiting.map(async (turn) => turn()));
    const atRest = server.use();
    const { jobs_by_status: counts } = await client.getWorkflowStatus({ params: { id } });
    await pings.stop();
    connection.close();
    await server.stop();
    firstJobMs.sort((left, right) => left - right);
    const label = `${runners} runners at once`;
    note(`${label}: the last has done its jobs after`, seconds, 's');
    note(`${label}: server CPU a runner, ${JOBS_EACH} jobs included`, perOne(after, before, runners), 'ms');
    note(`${label}: server CPU of a turn without a job`, perOne(atRest, after, runners), 'ms');
    note(`${label}: a runner has its first jobs after, p50`, firstJobMs[Math.floor(runners / 2)] ?? 0, 'ms');
    note(`${label}: likewise, the last one`, firstJobMs.at(-1) ?? 0, 'ms');
    note(`${label}: longest work while a ping waits`, workedMs, 'ms', { atMost: 50 });
    note(`${label}: longest wait of a ping`, longestMs, 'ms');
    note(`${label}: server memory`, after.peakMegabytes, 'MB');
    note(`${label}: lost or done twice`, Math.abs(completed - counts.completed), 'jobs', { atMost: 0 });
  }
}

const perOne = (after: { cpuSeconds: number }, before: { cpuSeconds: number }, number: number): number =>
  ((after.cpuSeconds - before.cpuSeconds) / number) * 1000;
