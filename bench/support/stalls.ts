import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Client } from '../../src/client/client.ts';
import type { ServiceError } from '../../src/client/errors.ts';
import type { NewJob } from '../../src/core/contract/job.ts';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';

/** How large the shapes are. */
export interface Sizes {
  /** Jobs without dependencies. */
  readonly flat: number;
  /** Jobs of which each waits for the one before it. */
  readonly chain: number;
  /** Jobs that wait for one. */
  readonly star: number;
  /** Jobs that one waits for. */
  readonly fanIn: number;
  /** Each of so many jobs waits for each of as many others. */
  readonly bipartite: number;
  /** Kinds of needs, each with one ready job. */
  readonly classes: number;
  /** Connections that are opened at once. */
  readonly connections: number;
  /** Size of one large body in MB. */
  readonly bodyMegabytes: number;
}

export const ISSUE_SIZES: Sizes = {
  flat: 1_000_000,
  chain: 100_000,
  star: 100_000,
  fanIn: 100_000,
  bipartite: 1_000,
  classes: 3_000,
  connections: 5_000,
  bodyMegabytes: 100,
};

export const scaled = (sizes: Sizes, factor: number): Sizes =>
  Object.fromEntries(
    Object.entries(sizes).map(([name, size]: [string, number]) => [
      name,
      Math.ceil(size * (name === 'bipartite' ? Math.sqrt(factor) : factor)),
    ]),
  ) as unknown as Sizes;

/** One operation on a server that is watched meanwhile. */
export type Measure = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Jobs of a call that creates a shape: what `torc create` sends. */
const A_CALL = 1_000;
/** Jobs that a runner reports in one turn: as many as it prefetches. */
const A_TURN = 128;
/** Jobs that a runner reports in one turn when it was away from its server. */
const A_LONG_TURN = 1_000;
const OFFER = { num_cpus: 64, memory_gb: 512, num_gpus: 0, num_nodes: 1 };

/** Every operation whose cost grows with a workflow, over the shapes of graphs that are hard for it. */
export const shapes = {
  async flat(client, sizes, measure, port) {
    const id = await workflow(client);
    await measure(`create ${sizes.flat} jobs, ${A_CALL} a call`, () => createMany(client, id, sizes.flat));
    await measure('initialize a flat workflow', () => client.initializeJobs({ params: { id } }));
    await measure(`list the ids of ${sizes.flat} jobs`, () => client.listJobIds({ params: { id } }));
    const large = Math.min(sizes.flat, 100_000);
    await measure(`list ${large} jobs`, () => client.listJobs({ query: { workflow_id: id, limit: large } }));
    await measure(`claim ${large} jobs`, () => client.claimNextJobs({ params: { id }, query: { limit: large } }));
    await measure('cancel it', () => client.cancelWorkflow({ params: { id } }));
    await measure('an event stream with an old id and a filter that nothing matches', () => listen(port, id));
    await client.resetStatus({ params: { id }, query: { force: true } });
    await measure('reset_job_status, failed only', () =>
      client.resetJobStatus({ params: { id }, query: { failed_only: true } }),
    );
    await measure('initialize what is uninitialized', () =>
      client.initializeJobs({ params: { id }, query: { only_uninitialized: true } }),
    );
    await measure('reset_job_status of all', () => client.resetJobStatus({ params: { id }, query: {} }));
    await measure('an SQL write of an administrator to all jobs', () =>
      client.runSql({ body: { sql: `update job set priority = 1 where workflow_id = ${id}`, write: true } }),
    );
    await measure('delete a flat workflow', () => client.deleteWorkflow({ params: { id } }));
  },

  async 'large bodies'(client, sizes, measure) {
    const id = await workflow(client);
    const count = Math.min(sizes.chain, 100_000);
    await measure(`create ${count} jobs in one call`, () =>
      client.createJobs({
        query: { reply: 'ids' },
        body: { jobs: Array.from({ length: count }, (_, index) => job(id, index)) },
      }),
    );
    const long = 'x'.repeat(100_000);
    await measure(`a body of ${sizes.bodyMegabytes} MB`, () =>
      client.createJobs({
        query: { reply: 'ids' },
        body: {
          jobs: Array.from({ length: sizes.bodyMegabytes * 10 }, (_, index) => ({
            ...job(id, index),
            name: `long${index}`,
            command: long,
          })),
        },
      }),
    );
    await measure('delete all its jobs', () => client.deleteJobs({ query: { workflow_id: id } }));
    await client.deleteWorkflow({ params: { id } });
  },

  async chain(client, sizes, measure) {
    const id = await workflow(client);
    await createMany(client, id, sizes.chain, (index) => (index === 0 ? [] : [index - 1]));
    await measure(`initialize a chain of ${sizes.chain}`, () => client.initializeJobs({ params: { id } }));
    const nodeId = await node(client, id);
    await measure('its head fails', async () => {
      await end(client, id, nodeId, 1);
      await until(client, id, 'canceled', sizes.chain - 1);
    });
    await measure('reset_job_status of the chain, failed only', () =>
      client.resetJobStatus({ params: { id }, query: { failed_only: true } }),
    );
    await measure('initialize the chain again', () =>
      client.initializeJobs({ params: { id }, query: { only_uninitialized: true } }),
    );
    await measure('delete the chain', () => client.deleteWorkflow({ params: { id } }));
  },

  async star(client, sizes, measure) {
    const id = await workflow(client);
    await createMany(client, id, sizes.star + 1, (index) => (index === 0 ? [] : [0]));
    await measure(`initialize a star of ${sizes.star}`, () => client.initializeJobs({ params: { id } }));
    const nodeId = await node(client, id);
    await measure('its center completes', async () => {
      await end(client, id, nodeId, 0);
      await until(client, id, 'ready', sizes.star);
    });
    await measure(`${A_LONG_TURN} of its leaves end in one turn`, () => end(client, id, nodeId, 0, A_LONG_TURN));
    await measure(`${A_LONG_TURN} of its leaves end in one batch`, () => endInBatch(client, id, nodeId, A_LONG_TURN));
    await client.cancelWorkflow({ params: { id } });
    await client.resetStatus({ params: { id }, query: { force: true } });
    await client.resetJobStatus({ params: { id }, query: {} });
    await client.initializeJobs({ params: { id } });
    await measure('its center fails', async () => {
      await end(client, id, nodeId, 1);
      await until(client, id, 'canceled', sizes.star);
    });
    await measure('delete the star', () => client.deleteWorkflow({ params: { id } }));
  },

  async 'fan-in'(client, sizes, measure) {
    const id = await workflow(client);
    const first = await createMany(client, id, sizes.fanIn);
    const parents = Array.from({ length: sizes.fanIn }, (_, index) => first + index);
    await measure(`create a job that waits for ${sizes.fanIn}`, () =>
      client.createJobs({ body: { jobs: [{ ...job(id, 0), name: 'last', depends_on_job_ids: parents }] } }),
    );
    await measure(`initialize a fan-in of ${sizes.fanIn}`, () => client.initializeJobs({ params: { id } }));
    const nodeId = await node(client, id);
    const some = Math.ceil(sizes.fanIn / 10 / A_TURN) * A_TURN;
    await measure(`${some} of its parents complete, ${A_TURN} a turn`, async () => {
      for (let done = 0; done < some; done += A_TURN) await end(client, id, nodeId, 0, A_TURN);
    });
    await measure(`${A_LONG_TURN} of its parents complete in one turn`, () => end(client, id, nodeId, 0, A_LONG_TURN));
    await measure(`${A_LONG_TURN} of its parents complete in one batch`, () =>
      endInBatch(client, id, nodeId, A_LONG_TURN),
    );
    await measure('delete the fan-in', () => client.deleteWorkflow({ params: { id } }));
  },

  async bipartite(client, sizes, measure) {
    const { bipartite: side } = sizes;
    const id = await workflow(client);
    const before = Array.from({ length: side }, (_, index) => index);
    await measure(`create ${side} x ${side} dependencies in one call`, () =>
      client.createJobs({
        query: { reply: 'ids' },
        body: {
          jobs: Array.from({ length: side * 2 }, (_, index) => job(id, index)),
          depends_on_positions: Array.from({ length: side * 2 }, (_, index) => (index < side ? [] : before)),
        },
      }),
    );
    await measure('initialize them', () => client.initializeJobs({ params: { id } }));
    const nodeId = await node(client, id);
    await measure('all of the first side fail', async () => {
      for (let done = 0; done < side; done += A_TURN) await end(client, id, nodeId, 1, A_TURN);
      await until(client, id, 'canceled', side);
    });
    await measure('delete them', () => client.deleteWorkflow({ params: { id } }));
  },

  async files(client, sizes, measure) {
    const { bipartite: side } = sizes;
    const id = await workflow(client);
    const file = await client.createFile({ body: { workflow_id: id, name: 'f', path: 'f' } });
    const ids = [file.id];
    await client.createJobs({
      body: {
        jobs: Array.from({ length: side * 2 }, (_, index) => ({
          ...job(id, index),
          ...(index < side ? { output_file_ids: ids } : { input_file_ids: ids }),
        })),
      },
    });
    await measure(`initialize: ${side} jobs write a file that ${side} read`, () =>
      client.initializeJobs({ params: { id } }),
    );
    await measure('delete the file', () => client.deleteFile({ params: { id: ids[0] as number } }));
    await client.deleteWorkflow({ params: { id } });
  },

  async 'dependency bomb'(client, sizes, measure) {
    const { flat } = sizes;
    const side = Math.min(flat, 100_000) / 2;
    const id = await workflow(client);
    const { id: file } = await client.createFile({ body: { workflow_id: id, name: 'f', path: 'f' } });
    const uses = (index: number) => ({ [index < side ? 'output_file_ids' : 'input_file_ids']: [file] });
    await measure(`create ${side} jobs that write a file, and as many that read it`, async () => {
      for (let begin = 0; begin < side * 2; begin += A_CALL)
        await client.createJobs({
          query: { reply: 'ids' },
          body: {
            jobs: Array.from({ length: Math.min(A_CALL, side * 2 - begin) }, (_, index) => ({
              ...job(id, begin + index),
              ...uses(begin + index),
            })),
          },
        });
    });
    await measure(`initialize them, ${side} x ${side} dependencies: refused`, () =>
      client.initializeJobs({ params: { id } }).catch((error: unknown) => {
        if ((error as ServiceError).code !== 'DEPENDENCIES_TOO_MANY') throw error;
      }),
    );
    await client.deleteWorkflow({ params: { id } });
  },

  async connections(_client, { connections }, measure, port) {
    await measure(`${connections} connections at once, each with a request`, async () => {
      const open: Socket[] = [];
      /** The kernel keeps 4,096 connections that are not accepted yet, and may reset later ones: they connect again. */
      const ask = async (): Promise<void> => {
        const socket = connect(port, '127.0.0.1');
        open.push(socket);
        socket.write(`GET ${BASE_PATH}/ping HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        await once(socket, 'data').catch(ask);
      };
      await Promise.all(Array.from({ length: connections }, ask));
      for (const socket of open) socket.destroy();
    });
  },

  async classes(client, sizes, measure) {
    const id = await workflow(client);
    const needs: number[] = [];
    for (let index = 0; index < sizes.classes; index += 1) {
      const { id: needId } = await client.createResourceRequirements({
        body: { workflow_id: id, name: `n${index}`, num_cpus: 1 + (index % 60), memory: `${index + 1}m` },
      });
      needs.push(needId);
    }
    await createMany(client, id, sizes.classes, () => [], needs);
    await client.initializeJobs({ params: { id } });
    const nodeId = await node(client, id);
    await measure(`100 turns of a runner over ${sizes.classes} kinds of needs`, async () => {
      for (let turn = 0; turn < 100; turn += 1) await end(client, id, nodeId, 0);
    });
    await client.deleteWorkflow({ params: { id } });
  },
} satisfies Record<string, (client: Client, sizes: Sizes, measure: Measure, port: number) => Promise<void>>;

async function workflow(client: Client): Promise<number> {
  return ((await client.createWorkflow({ body: { name: 'stalls', user: 'bench' } })) as { id: number }).id;
}

const job = (workflowId: number, index: number): NewJob => ({
  workflow_id: workflowId,
  name: `job${index}`,
  command: 'true',
});

/** Creates jobs in calls of the usual size; `after` says by their places which jobs each waits for. Answers the first id. */
async function createMany(
  client: Client,
  workflowId: number,
  count: number,
  after: (index: number) => number[] = () => [],
  needs: readonly number[] = [],
): Promise<number> {
  let first = 0;
  for (let begin = 0; begin < count; begin += A_CALL) {
    const indexes = Array.from({ length: Math.min(A_CALL, count - begin) }, (_, index) => begin + index);
    const { job_ids: ids } = await client.createJobs({
      query: { reply: 'ids' },
      body: {
        jobs: indexes.map((index) => ({
          ...job(workflowId, index),
          ...(needs.length === 0 ? {} : { resource_requirements_id: needs[index % needs.length] }),
          depends_on_job_ids: after(index)
            .filter((other) => other < begin)
            .map((other) => first + other),
        })),
        depends_on_positions: indexes.map((index) =>
          after(index)
            .filter((other) => other >= begin)
            .map((other) => other - begin),
        ),
      },
    });
    if (begin === 0) first = (ids as number[])[0] as number;
  }
  return first;
}

const node = async (client: Client, workflowId: number): Promise<number> =>
  (
    await client.createComputeNode({
      body: {
        workflow_id: workflowId,
        hostname: 'bench',
        pid: 1,
        start_time: new Date().toISOString(),
        is_active: true,
        ...OFFER,
        compute_node_type: 'local',
      },
    })
  ).id;

/** A runner takes some ready jobs and ends them all in one turn. */
async function end(client: Client, workflowId: number, nodeId: number, returnCode: number, count = 1): Promise<void> {
  const { run_id: runId = 0 } = (await client.getWorkflow({ params: { id: workflowId } })) as { run_id?: number };
  const turn = { run_id: runId, compute_node_id: nodeId };
  const { jobs } = await client.exchange({
    params: { id: workflowId },
    body: { ...turn, want: { limit: count, prefetch: 0 } },
  });
  const { errors } = await client.exchange({
    params: { id: workflowId },
    body: {
      ...turn,
      completed: jobs.map((each) => ({
        job_id: each.id,
        attempt_id: each.attempt_id,
        status: returnCode === 0 ? 'completed' : 'failed',
        return_code: returnCode,
        exec_time_minutes: 0.1,
        completion_time: new Date().toISOString(),
      })),
    },
  });
  if (errors.length > 0) throw new Error(JSON.stringify(errors[0]));
}

/** The same on Torc's own routes. */
async function endInBatch(client: Client, workflowId: number, nodeId: number, count: number): Promise<void> {
  const { run_id: runId = 0 } = (await client.getWorkflow({ params: { id: workflowId } })) as { run_id?: number };
  const { jobs = [] } = await client.claimNextJobs({ params: { id: workflowId }, query: { limit: count } });
  const { errors } = await client.batchCompleteJobs({
    params: { id: workflowId },
    body: {
      completions: jobs.map(({ id }) => ({
        job_id: id,
        status: 'completed',
        run_id: runId,
        result: {
          job_id: id,
          workflow_id: workflowId,
          run_id: runId,
          compute_node_id: nodeId,
          return_code: 0,
          exec_time_minutes: 0.1,
          completion_time: new Date().toISOString(),
          status: 'completed',
        },
      })),
    },
  });
  if (errors.length > 0) throw new Error(JSON.stringify(errors[0]));
}

async function until(client: Client, id: number, status: 'ready' | 'canceled', jobs: number): Promise<void> {
  for (;;) {
    const { jobs_by_status: counts } = await client.getWorkflowStatus({ params: { id } });
    if (counts[status] >= jobs) return;
    await new Promise((resolve) => void setTimeout(resolve, 50));
  }
}

/** Listens for a second to a stream that has everything to catch up with and no new event. */
async function listen(port: number, id: number): Promise<void> {
  const over = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}${BASE_PATH}/workflows/${id}/events/stream?types=job_started`, {
    headers: { 'Last-Event-ID': '0.0' },
    signal: over.signal,
  });
  const end = setTimeout(() => over.abort(), 1_000);
  try {
    for await (const _ of response.body ?? []);
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
  } finally {
    clearTimeout(end);
  }
}
