import { beforeEach, describe, expect, it } from 'vitest';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { routes } from '../../src/core/contract/routes.ts';
import { AT_MS, createWorld, type World } from './routes/world.ts';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});

const open = (id: number | string, query = '') =>
  world.app.request(`${BASE_PATH}/workflows/${id}/events/stream${query}`);

/** The stream up to a text, which must come. */
async function readUntil(response: Response, text: string): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let read = '';
  while (!read.includes(text)) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`ended without ${text}: ${read}`);
    read += value ?? '';
  }
  await reader?.cancel();
  return read;
}

describe('the status stream of a workflow', () => {
  it('the status stream has the status as its route gives it, and again after a change', async () => {
    const path = `${BASE_PATH}/workflows/1/status/stream`;
    const response = await world.app.request(path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await world.start();
    const read = await readUntil(response, '"running":1');
    const line = read.split('\n').findLast((each) => each.startsWith('data: ')) ?? '';
    const status: unknown = JSON.parse(line.slice('data: '.length));
    expect(status).toEqual(await (await world.app.request(`${BASE_PATH}/workflows/1/status`)).json());
    expect(routes.streamWorkflowStatus.reply.parse(status)).toEqual(status);
  });

  it('the status stream ends when the workflow is deleted', async () => {
    const response = await world.app.request(`${BASE_PATH}/workflows/1/status/stream`);
    const [first, whole] = (response.body as ReadableStream<Uint8Array>).tee();
    // Not before: a workflow that is deleted first has no status to report.
    await readUntil(new Response(first), 'event: status');
    const done = new Response(whole).text();
    await world.app.request(`${BASE_PATH}/workflows/1`, { method: 'DELETE' });
    expect(await done).toContain('event: status');
  });

  it.each([
    ['9', 404],
    ['x', 400],
  ])('the status stream of workflow %s is refused with %i', async (id, status) => {
    expect((await world.app.request(`${BASE_PATH}/workflows/${id}/status/stream`)).status).toBe(status);
  });
});

describe('the event stream of a workflow', () => {
  it('the event stream of a workflow reports what happens as the contract has it', async () => {
    const response = await open(1);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await world.start();
    const reported = await readUntil(response, 'event: job_started');
    const line = reported.split('\n').findLast((each) => each.startsWith('data: ')) ?? '';
    const event: unknown = JSON.parse(line.slice('data: '.length));
    expect(event).toEqual({
      workflow_id: 1,
      timestamp: AT_MS,
      event_type: 'job_started',
      severity: 'info',
      data: { job_id: 1, job_name: 'first', compute_node_id: 1, run_id: 1 },
    });
    expect(routes.streamEvents.reply.parse(event)).toEqual(event);
  });

  it('of a workflow that never was is refused with 404', async () => {
    const response = await open(9);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { code: 'NOT_FOUND', message: 'Workflow not found with ID: 9' },
    });
  });
});
