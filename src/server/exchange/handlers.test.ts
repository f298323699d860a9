import { expect, it } from 'vitest';
import { testService, workflowOf } from '../../../tests/support/service.ts';

/** The facts of a workflow in the reply to the first exchange of a runner. */
const firstExchange = async (service: ReturnType<typeof testService>, id: number, nodeId: number) =>
  (
    await service.client.exchange({
      params: { id },
      body: { run_id: 1, compute_node_id: nodeId, setup: true },
    })
  ).setup;

it('the first exchange replies with the default requirements, whether there are actions, and the failure handlers', async () => {
  const service = testService();
  const { client } = service;
  const { id, nodeId } = await workflowOf(service, [{ name: 'a' }]);
  const { items } = await client.listResourceRequirements({ query: { workflow_id: id, name: 'default' } });
  expect(await firstExchange(service, id, nodeId)).toEqual({
    default_requirements_id: items[0]?.id,
    has_actions: false,
    failure_handlers: [],
  });
  const handler = await client.createFailureHandler({ body: { workflow_id: id, name: 'again', rules: '[]' } });
  await client.createWorkflowAction({
    params: { id },
    body: {
      workflow_id: id,
      trigger_type: 'on_workflow_start',
      action_type: 'run_commands',
      action_config: { commands: ['true'] },
    },
  });
  expect(await firstExchange(service, id, nodeId)).toMatchObject({
    has_actions: true,
    failure_handlers: [{ id: handler.id, name: 'again', rules: '[]' }],
  });
});

it('an exchange that does not ask gets none of it, and too many failure handlers are left to their own route', async () => {
  const service = testService();
  const { id, nodeId } = await workflowOf(service, [{ name: 'a' }]);
  const plain = await service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId } });
  expect(plain).not.toHaveProperty('setup');
  for (let number = 0; number <= 100; number += 1)
    await service.client.createFailureHandler({ body: { workflow_id: id, name: `h${number}`, rules: '[]' } });
  expect((await firstExchange(service, id, nodeId))?.failure_handlers ?? undefined).toBeUndefined();
});
