import { beforeEach, describe, expect, it } from 'vitest';
import { testService, type TestService, workflowOf } from '../../../tests/support/service.ts';

let service: TestService;
let id: number;

beforeEach(async () => {
  service = testService();
  ({ id } = await workflowOf(service, []));
});

const create = async (over: object = {}): Promise<number> => {
  const action = await service.client.createWorkflowAction({
    params: { id },
    body: {
      workflow_id: id,
      trigger_type: 'on_workflow_start',
      action_type: 'run_commands',
      action_config: { commands: ['true'] },
      trigger_count: 1,
      ...over,
    },
  });
  return action.id;
};

const pending = async (types?: string) =>
  (await service.client.listPendingActions({ params: { id }, query: { trigger_type: types } })).map((each) => each.id);
const claim = (actionId: number, body: object = {}) =>
  service.client.claimWorkflowAction({ params: { id, action_id: actionId }, body });

describe('an action', () => {
  it('an action is pending when its trigger has occurred, and can be listed by type', async () => {
    const due = await create();
    await create({ trigger_count: 0 });
    const other = await create({ trigger_type: 'on_workflow_complete' });
    expect(await pending()).toEqual([due, other]);
    expect(await pending('on_workflow_complete')).toEqual([other]);
    expect(await pending('on_workflow_complete,on_workflow_start')).toEqual([due, other]);
    expect(await pending('on_jobs_ready')).toEqual([]);
  });

  it('an action of a stuck workflow is due while its last runner is there, and neither before the first one nor after the last', async () => {
    const { id: flow, nodeId } = await workflowOf(service, [{ name: 'waits' }]);
    id = flow;
    const stuck = await create({ trigger_type: 'on_stuck', trigger_count: 0 });
    const set = (isActive: boolean) =>
      service.client.updateComputeNode({ params: { id: nodeId }, body: { is_active: isActive } as never });
    const seen = [await pending()];
    await set(false);
    seen.push(await pending());
    expect(seen).toEqual([[stuck], []]);
  });

  it('the runner that claims an action executes it, and the next claim is refused', async () => {
    const action = await create();
    expect(await claim(action, { compute_node_id: 7 })).toEqual({ action_id: action, claimed: true });
    await expect(claim(action)).rejects.toMatchObject({ status: 409 });
    await expect(claim(action)).rejects.toThrow(`Action ${action} already claimed`);
    expect(await pending()).toEqual([]);
    const [read] = await service.client.listWorkflowActions({ params: { id } });
    expect(read).toMatchObject({ executed: true, executed_by: 7, executed_at: '2026-03-01T12:00:00.000Z' });
  });

  it('a rearmed action can be claimed again; the earlier executor is dropped, the time of execution is kept', async () => {
    const action = await create();
    await claim(action, { compute_node_id: 7 });
    await service.client.initializeJobs({ params: { id } });
    const [read] = await service.client.listWorkflowActions({ params: { id } });
    expect(read).toMatchObject({ id: action, executed: false, executed_at: '2026-03-01T12:00:00.000Z' });
    expect(read).not.toHaveProperty('executed_by');
    expect(await pending()).toEqual([action]);
  });

  it('a persistent action can be claimed by every runner, repeatedly', async () => {
    const action = await create({ persistent: true });
    await claim(action);
    expect((await claim(action)).claimed).toBe(true);
    expect(await pending()).toEqual([action]);
  });

  it('fields are merged into an action, and invalid ones are refused', async () => {
    const action = await create({ action_type: 'schedule_nodes', action_config: { scheduler_id: 1 } });
    const update = (body: never) => service.client.updateWorkflowAction({ params: { id, action_id: action }, body });
    expect((await update({ num_allocations: 2 } as never)).action_config).toEqual({
      scheduler_id: 1,
      num_allocations: 2,
    });
    await expect(update({ walltime: '1h' } as never)).rejects.toThrow("Unsupported field 'walltime'");
    await expect(update({ num_allocations: 0 } as never)).rejects.toThrow(
      'num_allocations: expected a whole number of 1 or more, found 0',
    );
    await expect(update({ scheduler_type: 7 } as never)).rejects.toThrow('scheduler_type: expected text, found 7');
    await expect(update({} as never)).rejects.toThrow('updates body has no fields to merge');
    await expect(update([1] as never)).rejects.toThrow('updates body must be a JSON object');
  });

  it('an action is found only in its own workflow', async () => {
    const action = await create();
    const other = await workflowOf(service, []);
    const params = { id: other.id, action_id: action };
    await expect(service.client.deleteWorkflowAction({ params })).rejects.toThrow(
      `Action ${action} does not belong to workflow ${other.id}`,
    );
    await expect(claim(99)).rejects.toThrow('action 99 was not found (404)');
    expect(await service.client.deleteWorkflowAction({ params: { id, action_id: action } })).toEqual({
      message: 'Workflow action deleted successfully',
    });
    expect(await pending()).toEqual([]);
  });
});

describe('a claim that plans', () => {
  const config = { scheduler_type: 'slurm', num_allocations: 3, start_one_worker_per_node: true, max_parallel_jobs: 2 };
  let schedulerId: number;
  beforeEach(async () => {
    const body = { workflow_id: id, name: 's', account: 'a', nodes: 1, walltime: '01:00:00' };
    schedulerId = (await service.client.createSlurmScheduler({ body })).id;
  });
  const scheduling = (over: object = {}) =>
    create({ action_type: 'schedule_nodes', action_config: { ...config, scheduler_id: schedulerId }, ...over });
  const rows = async () => (await service.client.listScheduledComputeNodes({ query: { workflow_id: id } })).items;
  const plans = { max_parallel_jobs: null };

  it('the allocations of an action are planned with its claim', async () => {
    const action = await scheduling();
    expect(await claim(action, { plans })).toEqual({ action_id: action, claimed: true, planned: 3 });
    const plan = { allocations: 3, start_one_worker_per_node: true, max_parallel_jobs: 2, action_id: action };
    const row = { workflow_id: id, scheduler_id: 0, scheduler_config_id: schedulerId, scheduler_type: 'slurm' };
    expect(await rows()).toEqual([1, 2, 3].map((at) => ({ id: at, ...row, status: 'planned', plan })));
  });

  it('a claim has its own limit of parallel jobs, and one that does not ask for a plan makes none', async () => {
    await claim(await scheduling({ action_config: { scheduler_id: schedulerId, scheduler_type: 'slurm' } }), {});
    expect(await rows()).toEqual([]);
    await claim(await scheduling(), { plans: { max_parallel_jobs: 7 } });
    expect((await rows()).map(({ plan }) => plan?.max_parallel_jobs)).toEqual([7, 7, 7]);
  });

  it('a refused claim plans nothing, nor does an action without a scheduler of the workflow', async () => {
    const action = await scheduling();
    await claim(action);
    await expect(claim(action, { plans })).rejects.toMatchObject({ code: 'ACTION_CLAIMED' });
    const wrong = await scheduling({ action_config: { ...config, scheduler_id: 4711 } });
    expect(await claim(wrong, { plans })).toEqual({ action_id: wrong, claimed: true });
    expect(await claim(await create(), { plans })).not.toHaveProperty('planned');
    expect(await rows()).toEqual([]);
  });

  it('an action that is armed again while its allocations are planned does not plan them twice', async () => {
    const { nodeId } = await workflowOf(service, []);
    const action = await scheduling();
    const mine = { compute_node_id: nodeId, tells_end: true, plans };
    const node = await service.client.createComputeNode({
      body: { ...(await service.client.getComputeNode({ params: { id: nodeId } })), id: undefined, workflow_id: id },
    });
    await claim(action, { ...mine, compute_node_id: node.id });
    await service.client.endWorkflowAction({
      params: { id, action_id: action },
      body: { compute_node_id: node.id, outcome: 'not_started' },
    });
    expect(await claim(action, { ...mine, compute_node_id: node.id })).toMatchObject({ planned: 0 });
    expect(await rows()).toHaveLength(3);
  });

  it('each runner that executes a persistent action plans its allocations', async () => {
    const action = await scheduling({ persistent: true });
    await claim(action, { plans });
    expect(await claim(action, { plans })).toMatchObject({ planned: 3 });
    expect(await rows()).toHaveLength(6);
  });

  it('a complete initialization drops what is planned, because the action is armed again; a partial one keeps it', async () => {
    await claim(await scheduling(), { plans });
    await service.client.initializeJobs({ params: { id }, query: { only_uninitialized: true } });
    expect(await rows()).toHaveLength(3);
    const [first] = await rows();
    await service.client.updateScheduledComputeNode({
      params: { id: first?.id as number },
      body: { status: 'pending', scheduler_id: 7 },
    });
    await service.client.initializeJobs({ params: { id } });
    expect((await rows()).map(({ status }) => status)).toEqual(['pending']);
  });
});

it('a repeated field of the query counts once for each occurrence', async () => {
  const due = await create();
  const other = await create({ trigger_type: 'on_workflow_complete' });
  const response = await service.app.request(
    `/torc-service/v1/workflows/${id}/actions/pending?trigger_type=on_workflow_start&trigger_type=on_workflow_complete`,
  );
  expect(((await response.json()) as { id: number }[]).map((each) => each.id)).toEqual([due, other]);
});

describe('the trigger of an action', () => {
  const body = (trigger: string, over: object = {}) => ({
    workflow_id: id,
    trigger_type: trigger,
    action_type: 'run_commands',
    action_config: { commands: ['true'] },
    ...over,
  });
  const jobs = [{ name: 'a' }, { name: 'b', after: ['a'] }];
  const finish = async (name: string, returnCode = 0) => {
    const { client } = service;
    const { jobs: claimed = [] } = await client.claimNextJobs({ params: { id }, query: { limit: 1 } });
    expect(claimed.map((job) => job.name)).toEqual([name]);
    const job = claimed[0] as { id: number };
    const { run_id: runId } = (await client.getWorkflow({ params: { id } })) as { run_id: number };
    await client.startJob({ params: { id: job.id, run_id: runId, compute_node_id: nodeId } });
    const status = returnCode === 0 ? ('completed' as const) : ('failed' as const);
    await client.completeJob({
      params: { id: job.id, status, run_id: runId },
      body: {
        job_id: job.id,
        workflow_id: id,
        run_id: runId,
        attempt_id: 1,
        compute_node_id: nodeId,
        return_code: returnCode,
        exec_time_minutes: 0,
        completion_time: '2026-03-01T12:00:00Z',
        status,
      },
    });
  };
  let nodeId: number;
  let jobIds: Map<string, number>;
  /** All six triggers, with their jobs. */
  const createAll = async () => {
    ({ id, jobIds, nodeId } = await workflowOf(service, jobs));
    const of = { job_ids: [jobIds.get('a'), jobIds.get('b')] as number[] };
    for (const [trigger, over] of [
      ['on_workflow_start', {}],
      ['on_workflow_complete', {}],
      ['on_worker_start', {}],
      ['on_worker_complete', {}],
      ['on_jobs_ready', of],
      ['on_jobs_complete', of],
    ] as const) {
      await service.client.createWorkflowAction({ params: { id }, body: body(trigger, over) });
    }
  };
  const due = async () =>
    (await service.client.listPendingActions({ params: { id }, query: {} })).map((each) => each.trigger_type);
  const counts = async () =>
    Object.fromEntries(
      (await service.client.listWorkflowActions({ params: { id } })).map((each) => [
        each.trigger_type,
        `${each.trigger_count}/${each.required_triggers}`,
      ]),
    );
  const initialize = (partly: boolean) =>
    service.client.initializeJobs({ params: { id }, query: { only_uninitialized: partly } });

  it('triggers occur at the start, when all their jobs are ready, when these have ended, and when all jobs have ended', async () => {
    await createAll();
    expect(await due()).toEqual([]);
    await initialize(false);
    expect(await due()).toEqual(['on_workflow_start', 'on_worker_start', 'on_worker_complete']);
    expect(await counts()).toMatchObject({
      on_jobs_ready: '1/2',
      on_jobs_complete: '0/2',
      on_workflow_complete: '0/1',
    });
    await finish('a');
    expect(await due()).toContain('on_jobs_ready');
    expect(await due()).not.toContain('on_jobs_complete');
    await finish('b');
    expect(await due()).toEqual([
      'on_workflow_start',
      'on_workflow_complete',
      'on_worker_start',
      'on_worker_complete',
      'on_jobs_ready',
      'on_jobs_complete',
    ]);
  });

  it('the end trigger does not occur for a canceled workflow, nor a job trigger for an action without jobs', async () => {
    await createAll();
    await service.client.createWorkflowAction({ params: { id }, body: body('on_jobs_complete') });
    await initialize(false);
    await finish('a');
    await finish('b');
    expect((await due()).filter((each) => each === 'on_jobs_complete')).toHaveLength(1);
    await service.client.cancelWorkflow({ params: { id } });
    expect(await due()).not.toContain('on_workflow_complete');
  });

  it('all triggers occur again after a complete initialization', async () => {
    await createAll();
    await initialize(false);
    await finish('a');
    await finish('b');
    const all = await service.client.listWorkflowActions({ params: { id } });
    for (const action of all) await claim(action.id);
    expect(await due()).toEqual([]);
    await initialize(false);
    expect(await due()).toHaveLength(6);
    const [first] = await service.client.listWorkflowActions({ params: { id } });
    expect(first).toMatchObject({ executed: false, executed_at: '2026-03-01T12:00:00.000Z' });
  });

  it('after a partial initialization the start trigger and those of completed jobs do not occur again', async () => {
    await createAll();
    await service.client.createWorkflowAction({
      params: { id },
      body: body('on_jobs_complete', { job_ids: [jobIds.get('a')] }),
    });
    const recovery = body('on_jobs_ready', { job_ids: [jobIds.get('a')], is_recovery: true });
    await service.client.createWorkflowAction({ params: { id }, body: recovery });
    await initialize(true);
    // An action for a recovery applies only to the run in which it was created.
    expect(await service.client.listWorkflowActions({ params: { id } })).toHaveLength(7);
    await finish('a');
    await finish('b', 1);
    for (const action of await service.client.listWorkflowActions({ params: { id } })) await claim(action.id);
    await service.client.resetStatus({ params: { id } });
    await service.client.resetJobStatus({ params: { id }, query: { failed_only: true } });
    await initialize(true);
    expect(await due()).toEqual(['on_worker_start', 'on_worker_complete', 'on_jobs_ready']);
    await finish('b');
    expect(await due()).toEqual([
      'on_workflow_complete',
      'on_worker_start',
      'on_worker_complete',
      'on_jobs_ready',
      'on_jobs_complete',
    ]);
  });
});
