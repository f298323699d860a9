import { beforeEach, describe, expect, it } from 'vitest';
import { testService, type TestService, workflowOf } from '../../tests/support/service.ts';
import { BASE_PATH } from '../core/contract/base-path.ts';
import { taskQueries } from '../server/submit/queries.ts';
import type { OpenStream } from './event-stream.ts';
import { waitForTask } from './wait-for-task.ts';

let service: TestService;
let workflowId: number;

beforeEach(async () => {
  service = testService();
  ({ id: workflowId } = await workflowOf(service, [{ name: 'a' }]));
});

/** The event stream of the app, as a connection opens it. */
const events =
  (path: string): OpenStream =>
  async (_last, signal) => {
    const { body } = await service.app.request(BASE_PATH + path, { signal });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    signal.addEventListener('abort', () => void reader.cancel(), { once: true });
    return (async function* () {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        yield decoder.decode(value, { stream: true });
      }
    })();
  };

/** A network that blocks event streams. */
const noEvents = (): OpenStream => async () => {
  throw new Error('no streams here');
};

/** A task that no server executes, and its end. */
const openTask = () =>
  taskQueries(service.store.db).insertTask.insert({
    workflowId,
    operation: 'initialize_jobs',
    parameters: '[]',
    atMs: 1,
  });
const end = (id: number, error: string | null, reported: boolean) =>
  service.store.turns.write(() => {
    taskQueries(service.store.db).finishTask.run({
      id,
      status: error === null ? 'succeeded' : 'failed',
      atMs: 2,
      error,
    });
    if (reported) service.store.changes.record(workflowId, 'task_completed', [{ task_id: id }]);
  });

const NEVER = { fallbackSeconds: 3600 };

describe('waiting for a task', () => {
  it('the wait ends at once when the task has ended before, because no event will follow', async () => {
    const id = openTask();
    await end(id, null, true);
    expect(await waitForTask(service.client, noEvents, id, NEVER)).toMatchObject({ id, status: 'succeeded' });
  });

  it('the wait ends with the event of the end, without polling', async () => {
    const id = openTask();
    const waited = waitForTask(service.client, events, id, NEVER);
    await end(id, null, true);
    expect(await waited).toMatchObject({ id, status: 'succeeded', finished_at_ms: 2 });
  });

  it('an end between the first check and the connection of the stream is not missed', async () => {
    const id = openTask();
    const late =
      (path: string): OpenStream =>
      async (last, signal) => {
        await end(id, 'circle', true);
        return events(path)(last, signal);
      };
    expect(await waitForTask(service.client, late, id, NEVER)).toMatchObject({ status: 'failed', error: 'circle' });
  });

  it('the end of another task does not end the wait', async () => {
    const [other, id] = [openTask(), openTask()];
    const waited = waitForTask(service.client, events, id, NEVER);
    await end(other, null, true);
    await end(id, 'circle', true);
    expect(await waited).toMatchObject({ id, status: 'failed' });
  });

  it('the client polls the task when no events arrive', async () => {
    const id = openTask();
    const waited = waitForTask(service.client, noEvents, id, { fallbackSeconds: 0.005 });
    await end(id, null, false);
    expect(await waited).toMatchObject({ status: 'succeeded' });
  });

  it('the wait returns the present state of the task after its timeout', async () => {
    const id = openTask();
    expect(await waitForTask(service.client, events, id, { ...NEVER, timeoutSeconds: 0.01 })).toMatchObject({
      id,
      status: 'queued',
    });
  });

  it('the wait is refused for an unknown task, and when its workflow is deleted', async () => {
    await expect(waitForTask(service.client, events, 99, NEVER)).rejects.toMatchObject({ status: 404 });
    const id = openTask();
    const waited = waitForTask(service.client, noEvents, id, { fallbackSeconds: 0.005 });
    const refused = expect(waited).rejects.toThrow('Task not found');
    await service.client.deleteWorkflow({ params: { id: workflowId } });
    await refused;
  });
});
