import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { statuses, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';
import { createApp } from '../http/app.ts';
import { openDatabase } from '../store/database.ts';
import { createStore } from '../records/store.ts';
import { taskQueries } from './queries.ts';

let service: TestService;
let id: number;

beforeEach(async () => {
  service = testService();
  ({ id } = await workflowOf(service, [{ name: 'a' }, { name: 'b', after: ['a'] }]));
  await service.client.resetJobStatus({ params: { id }, query: {} });
});

const begin = (query: object = {}) =>
  service.client.initializeJobs({ params: { id }, query: { async: true, ...query } });
const active = async () => (await service.client.getActiveTask({ params: { id } })).task;

/** Waits until the started tasks have ended. */
async function ended(): Promise<void> {
  while ((await active()) !== null) await new Promise((resolve) => void setImmediate(resolve));
}

describe('an asynchronous initialization', () => {
  it('an asynchronous initialization is answered with 202 and a task, which ends when the jobs are ready', async () => {
    const response = await service.app.request(`/torc-service/v1/workflows/${id}/initialize_jobs?async=true`, {
      method: 'POST',
    });
    expect(response.status).toBe(202);
    const task = (await response.json()) as { id: number };
    expect(task).toMatchObject({ workflow_id: id, operation: 'initialize_jobs', status: 'queued' });
    await ended();
    expect(await service.client.getTask({ params: { id: task.id } })).toMatchObject({
      status: 'succeeded',
      started_at_ms: service.clock.now,
      finished_at_ms: service.clock.now,
    });
    expect(await statuses(service, id)).toEqual({ a: 'ready', b: 'blocked' });
  });

  it('a synchronous initialization is answered at its end, and has no task', async () => {
    expect(await service.client.initializeJobs({ params: { id } })).toEqual({ message: 'Initialized job status' });
    expect(await active()).toBeNull();
    await expect(service.client.getTask({ params: { id: 1 } })).rejects.toThrow('Task not found');
  });

  it('concurrent requests with the same parameters share a task, and one with other parameters is refused', async () => {
    const turn = await Promise.allSettled([begin(), begin(), begin({ only_uninitialized: true })]);
    const ids = turn.map((each) => (each.status === 'fulfilled' ? (each.value as { id: number }).id : undefined));
    expect([ids[0] === ids[1], ids[2]]).toEqual([true, undefined]);
    expect((turn[2] as PromiseRejectedResult).reason).toMatchObject({ status: 409 });
    await ended();
    expect((await begin({ only_uninitialized: true })) as { id: number }).not.toMatchObject({ id: ids[0] });
    await ended();
  });

  it('the end of an asynchronous initialization is reported on the event stream', async () => {
    const heard: unknown[] = [];
    service.store.changes.subscribe(id, ({ event_type: type, entries }) => {
      if (type === 'task_completed') heard.push(...entries);
    });
    const task = (await begin()) as { id: number };
    await ended();
    await service.store.turns.idle();
    expect(heard).toEqual([
      expect.objectContaining({ category: 'tasks', task_id: task.id, status: 'succeeded', user: 'tester' }),
    ]);
  });

  it('the task is gone when its workflow is deleted first', async () => {
    const task = (await begin()) as { id: number };
    await service.client.deleteWorkflow({ params: { id } });
    await service.store.turns.idle();
    await expect(service.client.getTask({ params: { id: task.id } })).rejects.toThrow('Task not found');
    expect(service.errors).toEqual([]);
  });
});

it('a task that a stopped server left has failed, and says so', () => {
  const folder = mkdtempSync(join(tmpdir(), 'torc-task-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const open = () => createStore(openDatabase(join(folder, 'torc.db')), { now: () => 7, onBroken: () => {} });
  const before = open();
  before.db.run("insert into workflow (name, user, timestamp) values ('w', 'u', 't')");
  taskQueries(before.db).insertTask.insert({
    workflowId: 1,
    operation: 'initialize_jobs',
    parameters: '[]',
    atMs: 1,
  });
  before.db.close();

  const after = open();
  createApp(after, { onError: () => {} });
  expect(taskQueries(after.db).task.get({ id: 1 })).toMatchObject({
    status: 'failed',
    finished_at_ms: 7,
    error: 'server restarted while task was in progress',
  });
  after.db.close();
});
