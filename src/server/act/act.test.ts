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
  return action.id as number;
};

const pending = async (types?: string) =>
  (await service.client.listPendingActions({ params: { id }, query: { trigger_type: types } })).map((each) => each.id);
const claim = (actionId: number, body: object = {}) =>
  service.client.claimWorkflowAction({ params: { id, action_id: actionId }, body });

describe('an action', () => {
  it('is pending when its trigger has come, by type if asked', async () => {
    const due = await create();
    await create({ trigger_count: 0 });
    const other = await create({ trigger_type: 'on_workflow_complete' });
    expect(await pending()).toEqual([due, other]);
    expect(await pending('on_workflow_complete')).toEqual([other]);
    expect(await pending('on_workflow_complete,on_workflow_start')).toEqual([due, other]);
    expect(await pending('on_jobs_ready')).toEqual([]);
  });

  it('is carried out by the one that claims it; the next one hears that it is taken', async () => {
    const action = await create();
    expect(await claim(action, { compute_node_id: 7 })).toEqual({ action_id: action, claimed: true });
    await expect(claim(action)).rejects.toMatchObject({ status: 409 });
    await expect(claim(action)).rejects.toThrow(`Action ${action} already claimed`);
    expect(await pending()).toEqual([]);
    const [read] = await service.client.listWorkflowActions({ params: { id } });
    expect(read).toMatchObject({ executed: true, executed_by: 7, executed_at: '2026-03-01T12:00:00.000Z' });
  });

  it('that is persistent is everybody’s, again and again', async () => {
    const action = await create({ persistent: true });
    await claim(action);
    expect((await claim(action)).claimed).toBe(true);
    expect(await pending()).toEqual([action]);
  });

  it('takes fields into what it does, and refuses what it could not do', async () => {
    const action = await create({ action_type: 'schedule_nodes', action_config: { scheduler_id: 1 } });
    const update = (body: never) => service.client.updateWorkflowAction({ params: { id, action_id: action }, body });
    expect((await update({ num_allocations: 2 } as never)).action_config).toEqual({
      scheduler_id: 1,
      num_allocations: 2,
    });
    await expect(update({ walltime: '1h' } as never)).rejects.toThrow("Unsupported field 'walltime'");
    await expect(update({} as never)).rejects.toThrow('updates body has no fields to merge');
    await expect(update([1] as never)).rejects.toThrow('updates body must be a JSON object');
  });

  it('is looked for in its own workflow only', async () => {
    const action = await create();
    const other = await workflowOf(service, []);
    const params = { id: other.id, action_id: action };
    await expect(service.client.deleteWorkflowAction({ params })).rejects.toThrow(
      `Action ${action} does not belong to workflow ${other.id}`,
    );
    await expect(claim(99)).rejects.toThrow('Action not found with ID: 99');
    expect(await service.client.deleteWorkflowAction({ params: { id, action_id: action } })).toEqual({
      message: 'Workflow action deleted successfully',
    });
    expect(await pending()).toEqual([]);
  });
});

it('a field of the query that stands there twice counts twice', async () => {
  const due = await create();
  const other = await create({ trigger_type: 'on_workflow_complete' });
  const response = await service.app.request(
    `/torc-service/v1/workflows/${id}/actions/pending?trigger_type=on_workflow_start&trigger_type=on_workflow_complete`,
  );
  expect(((await response.json()) as { id: number }[]).map((each) => each.id)).toEqual([due, other]);
});
