import type { Client } from '../../src/client/client.ts';
import type { ClaimedJob } from '../../src/core/contract/exchange.ts';

/** Jobs of a call that creates them, and of a turn of the runner. */
const [A_CALL, A_TURN] = [1_000, 1_000];

/** Creates a workflow of this shape: one job, three stages of equally many jobs, and one job that waits for all of the last. */
export async function createStages(client: Client, jobs: number): Promise<number> {
  const { id } = await client.createWorkflow({ body: { name: `stages of ${jobs}`, user: 'bench' } });
  const width = Math.max(1, Math.floor((jobs - 2) / 3));
  const stages = ['fetch', 'align', 'call'];
  let before: number[] = await create(client, id, [{ name: 'prepare', after: [] }]);
  for (const stage of stages)
    before = await create(
      client,
      id,
      Array.from({ length: width }, (_, at) => ({
        name: `${stage}_${at}`,
        after: [before.length === 1 ? (before[0] as number) : (before[at] as number)],
      })),
    );
  await create(client, id, [{ name: 'merge', after: before }]);
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  return id;
}

/** Creates a workflow of so many families, each of which depends on one of the ten before it. */
export async function createFamilies(client: Client, families: number, width: number): Promise<number> {
  const { id } = await client.createWorkflow({ body: { name: `${families} families`, user: 'bench' } });
  const made: number[][] = [];
  const letters = (at: number) => String.fromCharCode(97 + Math.floor(at / 26), 97 + (at % 26));
  for (let family = 0; family < families; family += 1) {
    const before = made[Math.max(0, family - 1 - (family % 10))];
    const jobs = Array.from({ length: width }, (_, at) => ({
      name: `step_${letters(family)}_${at}`,
      after: before === undefined ? [] : [before[at] as number],
    }));
    made.push(await create(client, id, jobs));
  }
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  return id;
}

/** Creates a workflow of jobs that depend on nothing. */
export async function createFlat(client: Client, jobs: number): Promise<number> {
  const { id } = await client.createWorkflow({ body: { name: `flat of ${jobs}`, user: 'bench' } });
  await create(
    client,
    id,
    Array.from({ length: jobs }, (_, at) => ({ name: `work_${at}`, after: [] })),
  );
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  return id;
}

async function create(
  client: Client,
  workflowId: number,
  jobs: readonly { readonly name: string; readonly after: readonly number[] }[],
): Promise<number[]> {
  const ids: number[] = [];
  for (let at = 0; at < jobs.length; at += A_CALL) {
    const body = {
      jobs: jobs.slice(at, at + A_CALL).map(({ name, after }) => ({
        workflow_id: workflowId,
        name,
        command: 'true',
        depends_on_job_ids: [...after],
      })),
    };
    const { job_ids: created = [] } = await client.createJobs({ query: { reply: 'ids' }, body });
    for (const id of created) ids.push(id);
  }
  return ids;
}

/** A runner that has room for everything, as far as the service knows. */
export async function createRunner(client: Client, workflowId: number) {
  const offer = { num_cpus: 1_000_000, memory_gb: 1_000_000, num_gpus: 0, num_nodes: 1 };
  const node = await client.createComputeNode({
    body: {
      workflow_id: workflowId,
      hostname: 'n1',
      pid: 1,
      start_time: new Date().toISOString(),
      is_active: true,
      num_cpus: offer.num_cpus,
      memory_gb: offer.memory_gb,
      num_gpus: 0,
      num_nodes: 1,
      compute_node_type: 'local',
    },
  });
  const turn = (body: object) =>
    client.exchange({ params: { id: workflowId }, body: { run_id: 1, compute_node_id: node.id, ...body } });
  const running: ClaimedJob[] = [];
  return {
    running,
    /** Starts so many more jobs, as far as there are ready ones. */
    async start(jobs: number): Promise<void> {
      for (let left = jobs; left > 0;) {
        const reply = await turn({ want: { limit: Math.min(left, A_TURN), prefetch: 0, offer } });
        if (reply.jobs.length === 0) return;
        const startTime = new Date().toISOString();
        await turn({
          started: reply.jobs.map(({ id, attempt_id }) => ({ job_id: id, attempt_id, start_time: startTime })),
        });
        for (const job of reply.jobs) running.push(job);
        left -= reply.jobs.length;
      }
    },
    /** Ends so many of the running jobs; one of a hundred fails. */
    async end(jobs: number): Promise<void> {
      for (let left = Math.min(jobs, running.length); left > 0; left -= A_TURN) {
        const some = running.splice(0, Math.min(left, A_TURN));
        await turn({
          completed: some.map(({ id, attempt_id }) => ({
            job_id: id,
            attempt_id,
            status: id % 100 === 0 ? 'failed' : 'completed',
            return_code: id % 100 === 0 ? 1 : 0,
            exec_time_minutes: 0.1,
            completion_time: new Date().toISOString(),
          })),
        });
      }
    },
  };
}
