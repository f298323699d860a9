import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { triggerCount } from '../records/action/columns.ts';
import { ended, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';

let service: TestService;
let id: number;
let nodeId: number;
let jobIds: Map<string, number>;

beforeEach(async () => {
  service = testService();
  ({ id, nodeId, jobIds } = await workflowOf(service, [{ name: 'a' }, { name: 'b', after: ['a'] }, { name: 'c' }]));
});

const create = async (trigger: string, jobs: readonly string[] | undefined, over: object = {}) => {
  const action = await service.client.createWorkflowAction({
    params: { id },
    body: {
      workflow_id: id,
      trigger_type: trigger,
      action_type: 'run_commands',
      action_config: { commands: ['true'] },
      job_ids: jobs?.map((name) => jobIds.get(name) as number),
      ...over,
    },
  });
  return action.id;
};
const want = { limit: 9, prefetch: 0, offer: { num_cpus: 9, memory_gb: 9, num_gpus: 0, num_nodes: 1 } };
const turn = (body: object = {}) =>
  service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });

describe('the due actions in replies to runners', () => {
  it('there are no due actions in a workflow without actions, nor for triggers of the start or the end', async () => {
    expect(await turn()).not.toHaveProperty('due_actions');
    for (const trigger of ['on_workflow_start', 'on_worker_start', 'on_worker_complete', 'on_workflow_complete'])
      await create(trigger, undefined, { trigger_count: 1 });
    expect(await turn()).not.toHaveProperty('due_actions');
  });

  it('an action is due in the reply to the exchange that completes its condition, until a runner claims it', async () => {
    const ready = await create('on_jobs_ready', ['a', 'b']);
    const complete = await create('on_jobs_complete', ['a', 'b', 'c']);
    await create('on_jobs_complete', undefined);
    const { jobs, due_actions: none } = await turn({ want });
    expect([jobs.map(({ name }) => name), none]).toEqual([['a', 'c'], undefined]);
    const [a, c] = jobs as [ClaimedJob, ClaimedJob];
    const after = await turn({ completed: [ended(a)], want });
    expect(after.due_actions).toEqual([ready]);
    const b = after.jobs[0] as ClaimedJob;
    expect((await turn({ completed: [ended(b, 1)] })).due_actions).toEqual([ready]);
    expect((await turn({ completed: [ended(c)] })).due_actions).toEqual([ready, complete]);
    await service.client.claimWorkflowAction({ params: { id, action_id: ready }, body: { compute_node_id: nodeId } });
    expect((await turn()).due_actions).toEqual([complete]);
  });

  it('persistent actions stay due, and so do actions triggered by hand', async () => {
    const persistent = await create('on_jobs_ready', ['a'], { persistent: true });
    const reported = await create('on_jobs_complete', ['a'], { trigger_count: 1 });
    await service.client.claimWorkflowAction({ params: { id, action_id: persistent }, body: {} });
    expect((await turn()).due_actions).toEqual([persistent, reported]);
  });

  it('due actions agree with the list of pending actions in both directions', async () => {
    await create('on_jobs_ready', ['a', 'b', 'c']);
    await create('on_jobs_complete', ['a', 'c']);
    const agree = async () => {
      const pending = await service.client.listPendingActions({ params: { id }, query: {} });
      expect((await turn()).due_actions ?? []).toEqual(pending.map((each) => each.id));
      return pending.length;
    };
    const seen = [await agree()];
    const { jobs } = await turn({ want });
    for (const job of jobs) {
      await turn({ completed: [ended(job)] });
      seen.push(await agree());
    }
    // A job that is opened again revokes the trigger.
    await service.client.manageStatusChange({
      params: { id: jobs[0]?.id as number, status: 'uninitialized', run_id: 1 },
    });
    seen.push(await agree());
    expect(seen).toEqual([0, 1, 2, 0]);
  });
});

it('an action of many jobs looks up each of them, and does not read all jobs of the workflow for each', () => {
  const plan = service.store.db
    .prepare<Record<string, never>, { detail: string }>(
      `explain query plan select ${triggerCount} as count from workflow_action`,
    )
    .all({});
  const ofJobs = plan.map(({ detail }) => detail).filter((detail) => / job /.test(detail));
  expect(ofJobs).toEqual([
    'SEARCH job USING INTEGER PRIMARY KEY (rowid=?)',
    'SEARCH job USING INTEGER PRIMARY KEY (rowid=?)',
  ]);
});
