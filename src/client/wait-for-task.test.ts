import { beforeEach, describe, expect, it } from 'vitest';
import { testService, type TestService, workflowOf } from '../../tests/support/service.ts';
import { BASE_PATH } from '../core/contract/base-path.ts';
import { submitQueries } from '../server/submit/queries.ts';
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

/** A network that lets no event stream through. */
const noEvents = (): OpenStream => async () => {
  throw new Error('no streams here');
};

/** A task that nobody carries out, and its end. */
const openTask = () =>
  submitQueries(service.store.db).insertTask.insert({
    workflowId,
    operation: 'initialize_jobs',
    parameters: '[]',
    atMs: 1,
  });
const end = (id: number, error: string | null, told: boolean) =>
  service.store.turns.write(() => {
    submitQueries(service.store.db).finishTask.run({
      id,
      status: error === null ? 'succeeded' : 'failed',
      atMs: 2,
      error,
    });
    if (told) service.store.changes.record(workflowId, 'task_completed', [{ task_id: id }]);
  });

const NEVER = { fallbackSeconds: 3600 };

describe('waiting for a task', () => {
  it('ends at once when the task ended before: no event will come', async () => {
    const id = openTask();
    await end(id, null, true);
    expect(await waitForTask(service.client, noEvents, id, NEVER)).toMatchObject({ id, status: 'succeeded' });
  });

  it('ends with the event of the end, without looking now and then', async () => {
    const id = openTask();
    const waited = waitForTask(service.client, events, id, NEVER);
    await end(id, null, true);
    expect(await waited).toMatchObject({ id, status: 'succeeded', finished_at_ms: 2 });
  });

  it('misses no end between the first look and the stream', async () => {
    const id = openTask();
    const late =
      (path: string): OpenStream =>
      async (last, signal) => {
        await end(id, 'circle', true);
        return events(path)(last, signal);
      };
    expect(await waitForTask(service.client, late, id, NEVER)).toMatchObject({ status: 'failed', error: 'circle' });
  });

  it('is not ended by the end of another task', async () => {
    const [other, id] = [openTask(), openTask()];
    const waited = waitForTask(service.client, events, id, NEVER);
    await end(other, null, true);
    await end(id, 'circle', true);
    expect(await waited).toMatchObject({ id, status: 'failed' });
  });

  it('looks now and then where no events come through', async () => {
    const id = openTask();
    const waited = waitForTask(service.client, noEvents, id, { fallbackSeconds: 0.005 });
    await end(id, null, false);
    expect(await waited).toMatchObject({ status: 'succeeded' });
  });

  it('says the task as it stands when the time is up', async () => {
    const id = openTask();
    expect(await waitForTask(service.client, events, id, { ...NEVER, timeoutSeconds: 0.01 })).toMatchObject({
      id,
      status: 'queued',
    });
  });

  it('is refused for a task that is not there, and when its workflow is deleted meanwhile', async () => {
    await expect(waitForTask(service.client, events, 99, NEVER)).rejects.toMatchObject({ status: 404 });
    const id = openTask();
    const waited = waitForTask(service.client, noEvents, id, { fallbackSeconds: 0.005 });
    const refused = expect(waited).rejects.toThrow('Task not found');
    await service.client.deleteWorkflow({ params: { id: workflowId } });
    await refused;
  });
});
