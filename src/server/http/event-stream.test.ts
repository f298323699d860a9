import { createParser } from 'eventsource-parser';
import { beforeEach, describe, expect, it } from 'vitest';
import { ended, started, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';

let service: TestService;

beforeEach(() => {
  service = testService();
});

/** Reads the stream until this many events arrived. */
async function listen(id: number, query: string, count: number, lastEventId?: string) {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
  const response = await service.app.request(`${BASE_PATH}/workflows/${id}/events/stream${query}`, { headers });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events: { id: string; type: string; data: { event_type: string; severity: string; data: unknown } }[] = [];
  const parser = createParser({
    onEvent: ({ id: place = '', event = '', data }) => events.push({ id: place, type: event, data: JSON.parse(data) }),
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const done = (async () => {
    while (events.length < count) {
      const { value, done: isOver } = await reader.read();
      if (isOver) break;
      parser.feed(decoder.decode(value, { stream: true }));
    }
    await reader.cancel();
    return events;
  })();
  return { done };
}

const runTwo = async (id: number, nodeId: number) => {
  const want = { limit: 10, prefetch: 0, offer: { num_cpus: 10, memory_gb: 10, num_gpus: 0, num_nodes: 1 } };
  const turn = (body: object) =>
    service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
  const { jobs } = await turn({ want });
  await turn({ started: jobs.map(started) });
  await turn({ completed: [ended(jobs[0] as never), ended(jobs[1] as never, 1)] });
};

describe('the event stream', () => {
  it('the event stream reports starts and ends as they happen, each with its severity', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const heard = await listen(id, '', 5);
    await runTwo(id, nodeId);
    expect((await heard.done).map(({ type, data }) => [type, data.severity])).toEqual([
      ['job_started', 'info'],
      ['job_started', 'info'],
      ['job_completed', 'info'],
      ['job_failed', 'error'],
      ['workflow_completed', 'info'],
    ]);
  });

  it('the event stream reports events of the requested severity, and with level=debug all', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const loud = await listen(id, '?level=ERROR', 1);
    const everything = await listen(id, '?level=debug', 6);
    await runTwo(id, nodeId);
    expect((await loud.done).map(({ type }) => type)).toEqual(['job_failed']);
    expect((await everything.done)[0]?.type).toBe('jobs_claimed');
  });

  it('the event stream continues after the last received event, also in the middle of simultaneous ones', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const first = await listen(id, '', 1);
    await runTwo(id, nodeId);
    const [seen] = await first.done;
    const rest = await listen(id, '', 4, seen?.id);
    expect((await rest.done).map(({ type, data }) => [type, (data.data as { job_name?: string }).job_name])).toEqual([
      ['job_started', 'b'],
      ['job_completed', 'a'],
      ['job_failed', 'b'],
      ['workflow_completed', undefined],
    ]);
  });

  it('the event stream reports no events of other workflows', async () => {
    const one = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const two = await workflowOf(service, [{ name: 'c' }, { name: 'd' }]);
    const heard = await listen(two.id, '', 1);
    await runTwo(one.id, one.nodeId);
    await runTwo(two.id, two.nodeId);
    const [event] = await heard.done;
    expect(event?.data.data).toMatchObject({ job_name: 'c' });
  });

  it('a slow client is served from the log, and misses nothing', async () => {
    const { id } = await workflowOf(service, [{ name: 'a' }]);
    const response = await service.app.request(`${BASE_PATH}/workflows/${id}/events/stream`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const filler = 'x'.repeat(50_000);
    const COUNT = 40;
    for (let index = 0; index < COUNT; index += 1) {
      await service.store.turns.write(() =>
        service.store.changes.record(id, 'job_status_changed', [{ index, filler }]),
      );
    }
    const indexes: number[] = [];
    const parser = createParser({
      onEvent: ({ data }) => indexes.push((JSON.parse(data) as { data: { index: number } }).data.index),
    });
    const decoder = new TextDecoder();
    while (indexes.length < COUNT) parser.feed(decoder.decode((await reader.read()).value, { stream: true }));
    await reader.cancel();
    expect(indexes).toEqual(Array.from({ length: COUNT }, (_, index) => index));
  });

  it('an unknown workflow is answered with 404, and an invalid event id with 400', async () => {
    const { id } = await workflowOf(service, [{ name: 'a' }]);
    expect((await service.app.request(`${BASE_PATH}/workflows/99/events/stream`)).status).toBe(404);
    const bad = await service.app.request(`${BASE_PATH}/workflows/${id}/events/stream`, {
      headers: { 'Last-Event-ID': 'zz' },
    });
    expect(bad.status).toBe(400);
  });
});
