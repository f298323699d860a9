import { beforeEach, describe, expect, it } from 'vitest';
import type { LostActions } from '../../core/contract/scheduling.ts';
import { registerNode, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';

let service: TestService;
let id: number;
let nodeId: number;
let once: number;
let each: number;

const act = async (persistent: boolean) => {
  const body = {
    workflow_id: id,
    trigger_type: 'on_workflow_start',
    action_type: 'run_commands',
    action_config: { commands: ['true'] },
    persistent,
  };
  return (await service.client.createWorkflowAction({ params: { id }, body })).id;
};

beforeEach(async () => {
  service = testService();
  ({ id, nodeId } = await workflowOf(service, [{ name: 'a' }]));
  once = await act(false);
  each = await act(true);
});

const claim = (action: number, node: number | null = nodeId, reportsEnd = true) =>
  service.client.claimWorkflowAction({
    params: { id, action_id: action },
    body: { compute_node_id: node, tells_end: reportsEnd },
  });
const end = (action: number, outcome: 'done' | 'failed' | 'not_started', node = nodeId) =>
  service.client.endWorkflowAction({
    params: { id, action_id: action },
    body: { compute_node_id: node, outcome },
  });
const lose = (actions?: LostActions, node = nodeId) =>
  service.client.reportLostRunner({
    params: { id, compute_node_id: node },
    body: { run_id: 1, reason: 'killed', actions },
  });
const found = async (action: number) => {
  const actions = await service.client.listWorkflowActions({ params: { id } });
  const { executed, executed_by: by, state } = actions.find((one) => one.id === action) ?? {};
  return [executed, by, state];
};
const reported = async () => {
  const { items } = await service.client.listEvents({ query: { workflow_id: id, category: 'workflow_action' } });
  return items.map(({ data }) => (data as { message: string }).message);
};

describe('an action claimed by a runner that is lost', () => {
  it('an action whose commands had not begun can be claimed again, and an event says so', async () => {
    await claim(once);
    expect(await found(once)).toEqual([true, nodeId, 'open']);
    expect(await lose({ begun: [], finished: [] })).toMatchObject({ actions_armed: [once] });
    expect(await found(once)).toEqual([false, undefined, undefined]);
    expect(await reported()).toEqual([expect.stringMatching(/^Action 1 .* is available again \(killed\)/)]);
    const next = await registerNode(service, id);
    expect(await claim(once, next)).toMatchObject({ claimed: true });
  });

  it('an action whose commands had begun is interrupted: an event says so, and no runner executes it again', async () => {
    await claim(once);
    expect(await lose({ begun: [once], finished: [] })).toMatchObject({ actions_interrupted: [once] });
    expect(await found(once)).toEqual([true, nodeId, 'interrupted']);
    expect(await reported()).toEqual([expect.stringMatching(/^Action 1 .* was interrupted \(killed\)/)]);
    await expect(claim(once, await registerNode(service, id))).rejects.toMatchObject({ code: 'ACTION_CLAIMED' });
  });

  it.each([undefined, {}, { finished: [] }])(
    'an action is interrupted when it is unknown whether its commands had begun: %j',
    async (actions) => {
      await claim(once);
      expect(await lose(actions)).toMatchObject({ actions_interrupted: [once] });
    },
  );

  it('an action is done when the ledger records its end, although the server did not know', async () => {
    await claim(once);
    expect(await lose({ begun: [], finished: [once] })).not.toHaveProperty('actions_interrupted');
    expect(await found(once)).toEqual([true, nodeId, 'done']);
  });

  it('an action whose allocations were planned with the claim is done, whatever the ledger says', async () => {
    const scheduler = { workflow_id: id, name: 's', account: 'a', nodes: 1, walltime: '01:00:00' };
    const { id: schedulerId } = await service.client.createSlurmScheduler({ body: scheduler });
    const config = { scheduler_id: schedulerId, scheduler_type: 'slurm' };
    const action = await service.client.createWorkflowAction({
      params: { id },
      body: {
        workflow_id: id,
        trigger_type: 'on_workflow_start',
        action_type: 'schedule_nodes',
        action_config: config,
        trigger_count: 1,
      },
    });
    const actionId = action.id;
    await service.client.claimWorkflowAction({
      params: { id, action_id: actionId },
      body: { compute_node_id: nodeId, tells_end: true, plans: {} },
    });
    expect(await lose({ begun: [actionId], finished: [] })).not.toHaveProperty('actions_interrupted');
    expect(await found(actionId)).toEqual([true, nodeId, 'done']);
  });

  it('an action is settled once, however often the loss is reported', async () => {
    await claim(once);
    await lose({ begun: [], finished: [] });
    const next = await registerNode(service, id);
    await claim(once, next);
    expect(await lose({ begun: [], finished: [] })).not.toHaveProperty('actions_armed');
    expect(await found(once)).toEqual([true, next, 'open']);
  });

  it('a persistent action is not available again for the lost runner, and executions by others stay', async () => {
    const other = await registerNode(service, id);
    await claim(each, other);
    await end(each, 'done', other);
    await claim(each);
    expect(await lose({ begun: [], finished: [] })).not.toHaveProperty('actions_armed');
    expect(await found(each)).toEqual([true, other, 'done']);
    expect(await reported()).toEqual([expect.stringContaining(`was not executed by compute node ${nodeId}`)]);
  });

  it('a persistent action claimed only by the lost runner counts as not executed', async () => {
    await claim(each);
    await lose({ begun: [], finished: [] });
    expect(await found(each)).toEqual([false, undefined, undefined]);
  });
});

describe('a claim of an action', () => {
  it('an action claimed by a client that reports no end counts as executed, as in Torc 1.0.0', async () => {
    await claim(once, nodeId, false);
    expect(await lose({ begun: [], finished: [] })).not.toHaveProperty('actions_armed');
    expect(await found(once)).toEqual([true, nodeId, undefined]);
    await expect(claim(once, nodeId, false)).rejects.toMatchObject({ code: 'ACTION_CLAIMED' });
  });

  it('a runner may repeat its claim of an action until it has reported the end', async () => {
    await claim(once);
    expect(await claim(once)).toEqual({ action_id: once, claimed: true });
    await end(once, 'done');
    await expect(claim(once)).rejects.toMatchObject({ code: 'ACTION_CLAIMED' });
  });

  it('a claim that arrives after its runner was lost changes nothing', async () => {
    await lose({ begun: [], finished: [] });
    await expect(claim(once)).rejects.toMatchObject({ code: 'REFERENCE_UNKNOWN' });
    expect(await found(once)).toEqual([false, undefined, undefined]);
  });

  it('an action is returned when no command began', async () => {
    await claim(once);
    expect(await end(once, 'not_started')).toEqual({ action_id: once, ended: true });
    expect(await found(once)).toEqual([false, undefined, undefined]);
  });

  it('an action ends once: a late or repeated report changes nothing', async () => {
    await claim(once);
    await end(once, 'failed');
    expect(await end(once, 'not_started')).toEqual({ action_id: once, ended: false });
    expect(await found(once)).toEqual([true, nodeId, 'failed']);
    expect(await end(each, 'done')).toEqual({ action_id: each, ended: false });
  });

  it('an action without a report is interrupted when its runner is deregistered', async () => {
    await claim(once);
    await service.client.updateComputeNode({ params: { id: nodeId }, body: { is_active: false } });
    expect(await found(once)).toEqual([true, nodeId, 'interrupted']);
  });

  it('a claim of an action is dropped when the workflow is initialized again', async () => {
    await claim(once);
    await lose({ begun: [once] });
    await service.client.initializeJobs({ params: { id } });
    expect(await found(once)).toEqual([false, undefined, undefined]);
  });
});
