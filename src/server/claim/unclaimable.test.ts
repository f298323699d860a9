import { beforeEach, describe, expect, it } from 'vitest';
import { testService, type TestService, workflowOf } from '../../../tests/support/service.ts';

let service: TestService;
beforeEach(() => {
  service = testService();
});

const minute = { small: { num_cpus: 1, memory: '100m', runtime: 'PT1M' }, wide: { num_nodes: 2, runtime: 'PT1M' } };
const scheduler = (workflowId: number, more: object = {}) =>
  service.client.createSlurmScheduler({
    body: { workflow_id: workflowId, name: 's', account: 'a', nodes: 1, walltime: '00:01:30', ...more },
  });
const asked = (id: number) => service.client.getUnclaimableJobs({ params: { id }, query: { in_allocations: true } });
const mode = (id: number, execution: object) =>
  service.client.updateWorkflow({ params: { id }, body: { name: 'w', user: 'u', execution_config: execution } });

describe('jobs that no allocation of a workflow could run', () => {
  it('jobs whose scheduler asks for too little time are shown with the sum, and none when it asks for enough', async () => {
    const { id } = await workflowOf(service, [{ name: 'a', requirements: 'small' }], minute);
    await scheduler(id);
    // As processes, the jobs have half of the time.
    expect(await asked(id)).toMatchObject({ ready_jobs: 1, unclaimable_jobs: 0, reasons: [] });
    await mode(id, { mode: 'slurm' });
    expect(await asked(id)).toEqual({
      workflow_id: id,
      compute_node_ids: [],
      ready_jobs: 1,
      unclaimable_jobs: 1,
      reasons: [
        {
          reason: 'time',
          jobs: 1,
          job_id: 1,
          job_name: 'a',
          needs: 'runtime 00:01:00 + headroom 00:01:00 + lead 00:00:00 + start 00:01:30 = 00:03:30',
          has: 'a walltime of 00:01:30',
          scheduler: 's',
        },
      ],
      may_take: false,
      unneeded_allocations: [],
    });
    await scheduler(id, { walltime: '00:04:00' });
    expect(await asked(id)).toMatchObject({ unclaimable_jobs: 0 });
  });

  it('jobs that may become ready later are counted apart: an allocation could run some of them', async () => {
    const jobs = [
      { name: 'a', requirements: 'wide' },
      { name: 'b', requirements: 'small', after: ['a'] },
    ];
    const { id } = await workflowOf(service, jobs, minute);
    await scheduler(id, { walltime: '00:10:00' });
    expect(await asked(id)).toMatchObject({
      unclaimable_jobs: 1,
      reasons: [{ reason: 'nodes', needs: '2 nodes', has: '1 node' }],
      may_take: true,
    });
  });

  it('jobs with labels are left out, and runners that count jobs take any', async () => {
    const jobs = [
      { name: 'a', requirements: 'small', labels: ['x'] },
      { name: 'b', requirements: 'wide' },
    ];
    const { id } = await workflowOf(service, jobs, minute);
    const { id: schedulerId } = await scheduler(id, { walltime: '00:10:00' });
    expect(await asked(id)).toMatchObject({ ready_jobs: 1, unclaimable_jobs: 1 });
    const action_config = { scheduler_id: schedulerId, scheduler_type: 'slurm', max_parallel_jobs: 4 };
    const body = { workflow_id: id, trigger_type: 'on_workflow_start', action_type: 'schedule_nodes', action_config };
    await service.client.createWorkflowAction({ params: { id }, body });
    expect(await asked(id)).toMatchObject({ ready_jobs: 1, unclaimable_jobs: 0 });
  });
});
