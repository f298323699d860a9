import { beforeEach, expect, it } from 'vitest';
import { testService, type TestService, workflowOf } from '../../../../tests/support/service.ts';

let service: TestService;
beforeEach(() => {
  service = testService();
});

const scheduler = { name: 's', account: 'a', nodes: 1, walltime: '01:00:00' };

/** Two workflows, each with a scheduler of Slurm, a local one and an action. */
async function two() {
  const { client } = service;
  const of = async () => {
    const { id } = await workflowOf(service, []);
    const slurm = await client.createSlurmScheduler({ body: { workflow_id: id, ...scheduler } });
    const local = await client.createLocalScheduler({ body: { workflow_id: id, memory: '1g', num_cpus: 1 } });
    const action_config = { scheduler_id: slurm.id, scheduler_type: 'slurm' };
    const body = { workflow_id: id, trigger_type: 'on_workflow_start', action_type: 'schedule_nodes', action_config };
    const action = await client.createWorkflowAction({ params: { id }, body });
    return { id, slurm: slurm.id, local: local.id, action: action.id };
  };
  await of();
  return { own: await of(), other: await of() };
}
const refused = { status: 422, code: 'REFERENCE_UNKNOWN' };
const UNKNOWN = 4711;

it("the scheduler or the action of another workflow is refused, a workflow's own are accepted, and ids that no record has as by Torc", async () => {
  const { client } = service;
  const { own, other } = await two();
  const allocate = (config: number, type = 'slurm', action: number | null = null) =>
    client.createScheduledComputeNode({
      body: {
        workflow_id: own.id,
        scheduler_id: 1,
        scheduler_config_id: config,
        scheduler_type: type,
        status: 'planned',
        ...(action === null ? {} : { plan: { allocations: 1, action_id: action } }),
      },
    });
  const { id } = await allocate(own.slurm, 'slurm', own.action);
  await allocate(own.local, 'local');
  await allocate(UNKNOWN);
  await allocate(other.slurm, 'of another kind');
  await expect(allocate(other.slurm)).rejects.toMatchObject(refused);
  await expect(allocate(other.local, 'local')).rejects.toMatchObject(refused);
  await expect(allocate(own.slurm, 'slurm', other.action)).rejects.toMatchObject(refused);
  const params = { id: id };
  await expect(
    client.updateScheduledComputeNode({ params, body: { scheduler_config_id: other.slurm } }),
  ).rejects.toMatchObject(refused);
  expect(await client.getScheduledComputeNode({ params })).toMatchObject({ scheduler_config_id: own.slurm });
});

it('an action and a runner name no scheduler of another workflow', async () => {
  const { client } = service;
  const { own, other } = await two();
  const params = { id: own.id, action_id: own.action };
  await client.updateWorkflowAction({ params, body: { num_allocations: 2 } });
  await expect(client.updateWorkflowAction({ params, body: { scheduler_id: other.slurm } })).rejects.toMatchObject(
    refused,
  );
  const action = (id: number) =>
    client.createWorkflowAction({
      params: { id: own.id },
      body: {
        workflow_id: own.id,
        trigger_type: 'on_workflow_start',
        action_type: 'schedule_nodes',
        action_config: { scheduler_id: id, scheduler_type: 'slurm' },
      },
    });
  await action(UNKNOWN);
  await expect(action(other.slurm)).rejects.toMatchObject(refused);
  const runner = (config: number) =>
    client.createComputeNode({
      body: {
        workflow_id: own.id,
        hostname: 'n1',
        pid: 1,
        start_time: '2026-03-01T12:00:00.000Z',
        num_cpus: 1,
        memory_gb: 1,
        num_gpus: 0,
        num_nodes: 1,
        compute_node_type: 'slurm',
        scheduler_config_id: config,
      },
    });
  await runner(own.slurm);
  await expect(runner(other.slurm)).rejects.toMatchObject(refused);
});

it('a job may name a scheduler of Slurm or a local one of its workflow, and no other', async () => {
  const { client } = service;
  const { own, other } = await two();
  const job = (name: string, id: number) =>
    client.createJob({ body: { workflow_id: own.id, name, command: 'true', scheduler_id: id } });
  await job('slurm', own.slurm);
  await job('local', own.local);
  await expect(job('foreign', other.slurm)).rejects.toMatchObject(refused);
  await expect(job('unknown', UNKNOWN)).rejects.toMatchObject(refused);
});
