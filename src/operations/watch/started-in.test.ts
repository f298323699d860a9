import { beforeEach, expect, it } from 'vitest';
import { ended, started, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';
import { hasStartedIn } from './started-in.ts';

let service: TestService;
let id: number;

/** The task 34_1, whose runner has done a job, with the id 36 that it got; 34_0 still waits. */
beforeEach(async () => {
  service = testService();
  const { id: workflowId, nodeId: local } = await workflowOf(service, [{ name: 'a' }]);
  id = workflowId;
  const node = await service.client.getComputeNode({ params: { id: local } });
  const scheduler = { slurm_job_id: '36' };
  const { id: nodeId } = await service.client.createComputeNode({
    body: { ...node, id: undefined, pid: 2, scheduler },
  });
  for (const [job, task] of [
    [34, 0],
    [36, 1],
  ] as const)
    await service.client.createScheduledComputeNode({
      body: {
        workflow_id: id,
        scheduler_id: job,
        scheduler_config_id: 1,
        scheduler_type: 'slurm',
        status: 'pending',
        array_job_id: 34,
        array_task_id: task,
      },
    });
  const body = { run_id: 1, compute_node_id: nodeId };
  const { jobs } = await service.client.exchange({
    params: { id },
    body: { ...body, want: { limit: 1, prefetch: 0 } },
  });
  await service.client.exchange({ params: { id }, body: { ...body, started: jobs.map(started) } });
  await service.client.exchange({ params: { id }, body: { ...body, completed: jobs.map((job) => ended(job)) } });
});

it('a job has started in a task of a job array, which its runner knows by another id, and in no other task', async () => {
  expect(await hasStartedIn(service.client, id, ['34_0', '34_1'])).toBe(true);
  expect(await hasStartedIn(service.client, id, [36])).toBe(true);
  expect(await hasStartedIn(service.client, id, ['34_0', 37])).toBe(false);
});
