import type { Staged } from '../core/workflow-file/plan/execution-plan.ts';
import { ListsWriter } from '../core/lists/int-list.ts';
import type { Client } from './client.ts';
import { all, every } from './every.ts';

/** The maximum number of dependencies: a larger plan would not be readable. */
const MOST_EDGES = 50_000_000;

/**
 * A workflow of the service as input of an execution plan, with its present dependencies; after initialization these
 * include the ones implied by files and user data.
 */
export async function stagedWorkflow(client: Client, id: number): Promise<Staged> {
  const { name } = await client.getWorkflow({ params: { id } });
  const names: string[] = [];
  const numbers = new Map<number, number>();
  for await (const job of every((page) => client.listJobs({ query: { workflow_id: id, ...page } }))) {
    numbers.set(job.id, names.length);
    names.push(job.name);
  }

  const waitsFor = new Map<number, number[]>();
  for await (const edge of every((page) => client.listJobDependencies({ params: { id }, query: page }))) {
    const [job, upstream] = [numbers.get(edge.job_id), numbers.get(edge.depends_on_job_id)];
    if (job === undefined || upstream === undefined) continue;
    const list = waitsFor.get(job);
    if (list === undefined) waitsFor.set(job, [upstream]);
    else list.push(upstream);
  }
  const lists = new ListsWriter(names.length, names.length, MOST_EDGES);
  for (let job = 0; job < names.length; job += 1) {
    for (const upstream of waitsFor.get(job) ?? []) lists.add(upstream);
    lists.next();
  }

  const schedulers = await all((page) => client.listSlurmSchedulers({ query: { workflow_id: id, ...page } }));
  const actions = await client.listWorkflowActions({ params: { id } });
  return {
    workflow: { name },
    jobs: { length: names.length },
    jobName: (job) => names[job] ?? '',
    graph: { jobs: names.length, waitsFor: lists.done() },
    actions: actions.map(({ trigger_type: trigger, action_type: type, action_config: config, job_ids: jobIds }) => {
      const {
        scheduler_id: schedulerId,
        scheduler_type: schedulerType,
        num_allocations: allocations,
      } = config as Config;
      return {
        spec: {
          trigger_type: trigger,
          action_type: type,
          scheduler: schedulers.find((each) => each.id === schedulerId)?.name ?? '',
          scheduler_type: schedulerType ?? '',
          num_allocations: allocations ?? 1,
        },
        jobs: (jobIds ?? []).flatMap((jobId) => numbers.get(jobId) ?? []),
      };
    }),
  };
}

/** The node settings of an action that schedules nodes. */
interface Config {
  readonly scheduler_id?: number;
  readonly scheduler_type?: string;
  readonly num_allocations?: number;
}
