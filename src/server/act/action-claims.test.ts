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
  return (await service.client.createWorkflowAction({ params: { id }, body })).id as number;
};

beforeEach(async () => {
  service = testService();
  ({ id, nodeId } = await workflowOf(service, [{ name: 'a' }]));
  once = await act(false);
  each = await act(true);
});

const claim = (action: number, node: number | null = nodeId, tellsEnd = true) =>
  service.client.claimWorkflowAction({
    params: { id, action_id: action },
    body: { compute_node_id: node, tells_end: tellsEnd },
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
const told = async () => {
  const { items } = await service.client.listEvents({ query: { workflow_id: id, category: 'workflow_action' } });
  return items.map(({ data }) => (data as { message: string }).message);
};

describe('an action that a runner claimed which is lost', () => {
  it('is armed again when its commands had not begun, and an event says so', async () => {
    await claim(once);
    expect(await found(once)).toEqual([true, nodeId, 'open']);
    expect(await lose({ begun: [], finished: [] })).toMatchObject({ actions_armed: [once] });
    expect(await found(once)).toEqual([false, undefined, undefined]);
    expect(await told()).toEqual([expect.stringMatching(/^Action 1 .* is armed again \(killed\)/)]);
    const next = await registerNode(service, id);
    expect(await claim(once, next)).toMatchObject({ claimed: true });
  });

  it('is interrupted when its commands had begun: it is told, and nobody carries it out again', async () => {
    await claim(once);
    expect(await lose({ begun: [once], finished: [] })).toMatchObject({ actions_interrupted: [once] });
    expect(await found(once)).toEqual([true, nodeId, 'interrupted']);
    expect(await told()).toEqual([expect.stringMatching(/^Action 1 .* was interrupted \(killed\)/)]);
    await expect(claim(once, await registerNode(service, id))).rejects.toMatchObject({ code: 'ACTION_CLAIMED' });
  });

  it.each([undefined, {}, { finished: [] }])(
    'is interrupted when nobody knows whether they had: %j',
    async (actions) => {
      await claim(once);
      expect(await lose(actions)).toMatchObject({ actions_interrupted: [once] });
    },
  );

  it('is done when the ledger says that it ended, though the server was not told', async () => {
    await claim(once);
    expect(await lose({ begun: [], finished: [once] })).not.toHaveProperty('actions_interrupted');
    expect(await found(once)).toEqual([true, nodeId, 'done']);
  });

  it('is settled once, however often the loss is reported', async () => {
    await claim(once);
    await lose({ begun: [], finished: [] });
    const next = await registerNode(service, id);
    await claim(once, next);
    expect(await lose({ begun: [], finished: [] })).not.toHaveProperty('actions_armed');
    expect(await found(once)).toEqual([true, next, 'open']);
  });

  it('and that every runner carries out is not armed for it again; what others did of it stays', async () => {
    const other = await registerNode(service, id);
    await claim(each, other);
    await end(each, 'done', other);
    await claim(each);
    expect(await lose({ begun: [], finished: [] })).not.toHaveProperty('actions_armed');
    expect(await found(each)).toEqual([true, other, 'done']);
    expect(await told()).toEqual([expect.stringContaining(`was not carried out by compute node ${nodeId}`)]);
  });

  it('and that every runner carries out was carried out by nobody when it was the only one', async () => {
    await claim(each);
    await lose({ begun: [], finished: [] });
    expect(await found(each)).toEqual([false, undefined, undefined]);
  });
});

describe('a claim', () => {
  it('of a client that tells no end counts as carried out, as in the original', async () => {
    await claim(once, nodeId, false);
    expect(await lose({ begun: [], finished: [] })).not.toHaveProperty('actions_armed');
    expect(await found(once)).toEqual([true, nodeId, undefined]);
    await expect(claim(once, nodeId, false)).rejects.toMatchObject({ code: 'ACTION_CLAIMED' });
  });

  it('may be repeated by the runner that has it, until it told the end', async () => {
    await claim(once);
    expect(await claim(once)).toEqual({ action_id: once, claimed: true });
    await end(once, 'done');
    await expect(claim(once)).rejects.toMatchObject({ code: 'ACTION_CLAIMED' });
  });

  it('that arrives after its runner was lost takes nothing from anybody', async () => {
    await lose({ begun: [], finished: [] });
    await expect(claim(once)).rejects.toMatchObject({ code: 'REFERENCE_UNKNOWN' });
    expect(await found(once)).toEqual([false, undefined, undefined]);
  });

  it('is given back when nothing began', async () => {
    await claim(once);
    expect(await end(once, 'not_started')).toEqual({ action_id: once, ended: true });
    expect(await found(once)).toEqual([false, undefined, undefined]);
  });

  it('is ended once: a late or repeated word changes nothing', async () => {
    await claim(once);
    await end(once, 'failed');
    expect(await end(once, 'not_started')).toEqual({ action_id: once, ended: false });
    expect(await found(once)).toEqual([true, nodeId, 'failed']);
    expect(await end(each, 'done')).toEqual({ action_id: each, ended: false });
  });

  it('of which a runner says nothing when it is deregistered is interrupted', async () => {
    await claim(once);
    await service.client.updateComputeNode({ params: { id: nodeId }, body: { is_active: false } });
    expect(await found(once)).toEqual([true, nodeId, 'interrupted']);
  });

  it('is forgotten when the workflow is initialised again', async () => {
    await claim(once);
    await lose({ begun: [once] });
    await service.client.initializeJobs({ params: { id } });
    expect(await found(once)).toEqual([false, undefined, undefined]);
  });
});
