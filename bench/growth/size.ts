import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../../src/client/client.ts';
import { connect } from '../../src/client/node/connect.ts';
import { workplace } from '../support/package.ts';
import { createRunner } from '../support/page-workload.ts';
import { commandsOf, startServer, type Use } from '../support/processes.ts';
import { type Part, scaled } from './part.ts';

const JOBS = [1_000_000, 3_000_000, 10_000_000];
const A_WORKFLOW = 100_000;
/** Jobs that are run at each size, in a new workflow. */
const RUN = 10_000;

/** One database that grows: what creating, running, looking and starting cost at each size. */
export async function measureSize({ folder, factor, note }: Part): Promise<void> {
  const cwd = workplace('growth-size');
  const size = Math.max(10, Math.round(A_WORKFLOW * factor));
  const file = (name: string, jobs: number) =>
    writeFileSync(
      join(cwd, `${name}.yaml`),
      `name: ${name}\njobs:\n  - { name: "job_{i}", command: "echo {i}", parameters: { i: "1:${jobs}" } }\n`,
    );
  file('large', size);
  file('next', Math.max(10, Math.round(RUN * factor)));
  let jobs = 0;
  for (const goal of scaled(JOBS, factor)) {
    let server = await startServer(folder, cwd);
    const label = `${goal.toLocaleString('en')} jobs`;
    const made = await used(server, async () => {
      const torc = commandsOf(folder, cwd, server.url);
      const before = jobs;
      for (; jobs < goal; jobs += size) await torc('create', 'large.yaml');
      return jobs - before;
    });
    note(`${label}: server CPU for 1,000 jobs created`, (made.cpuSeconds / made.result) * 1e6, 'ms');
    await server.stop();
    const started = performance.now();
    server = await startServer(folder, cwd);
    note(`${label}: start of the server`, performance.now() - started, 'ms');
    note(`${label}: database`, gigabytes(join(cwd, 'torc.db')), 'GB');
    const connection = connect({ url: server.url });
    const client = createClient(connection.send);
    await commandsOf(folder, cwd, server.url)('create', 'next.yaml');
    const [last] = (await client.listWorkflows({ query: { limit: 1, sort_by: 'id', reverse_sort: true } })).items;
    const id = last?.id as number;
    await client.resetStatus({ params: { id } });
    await client.initializeJobs({ params: { id } });
    const runner = await createRunner(client, id);
    const count = Math.max(10, Math.round(RUN * factor));
    const ran = await used(server, async () => {
      await runner.start(count);
      await runner.end(count);
    });
    note(`${label}: server CPU a job that runs`, (ran.cpuSeconds / count) * 1000, 'ms');
    const looked = await used(server, async () => {
      await client.listWorkflows({ query: { limit: 100 } });
      await client.getWorkflowStatus({ params: { id: 1 } });
      await client.listJobs({ query: { workflow_id: 1, limit: 1_000 } });
    });
    note(`${label}: server CPU of three lists`, looked.cpuSeconds * 1000, 'ms');
    const removed = await used(server, () => client.deleteWorkflow({ params: { id } }));
    note(`${label}: server CPU to delete ${count} jobs`, removed.cpuSeconds * 1000, 'ms');
    note(`${label}: server memory`, server.use().peakMegabytes, 'MB');
    connection.close();
    await server.stop();
  }
}

/** The processor time of the server for some work. */
async function used<Result>(server: { use(): Use }, work: () => Promise<Result>) {
  const before = server.use().cpuSeconds;
  const result = await work();
  return { result, cpuSeconds: server.use().cpuSeconds - before };
}

const gigabytes = (path: string): number =>
  [path, `${path}-wal`].reduce((sum, each) => sum + (existsSync(each) ? statSync(each).size : 0), 0) / 1e9;
