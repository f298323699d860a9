import { describe, expect, it } from 'vitest';
import { httpReceiver, type HttpReceiver } from '../../../tests/support/http-receiver.ts';
import { whenOver } from '../../../tests/support/over.ts';
import { until } from '../../../tests/support/programs.ts';
import { ended, started, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';
import { createSpanSender } from './send.ts';
import type { Span } from './spans.ts';

/** Sends at short intervals to this receiver; ends with the test. */
function sending({ store }: TestService, receiver: Pick<HttpReceiver, 'url'>, everyMs = 20) {
  const notices: string[] = [];
  const headers = { Authorization: 'Bearer of-a-test' };
  const target = { endpoint: receiver.url, headers, serviceName: 'torc', everyMs };
  const sender = createSpanSender(store, target, (words) => notices.push(words));
  whenOver(() => sender.close());
  return { sender, notices };
}

const spansIn = (text: string): Span[] => {
  const body = JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
  return body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
};
const namesIn = (receiver: HttpReceiver) =>
  receiver.arrived.flatMap(({ text }) => spansIn(text).map(({ name }) => name));

type Flow = { readonly id: number; readonly nodeId: number };

const turnOf =
  ({ client }: TestService, { id, nodeId }: Flow) =>
  (body: object) =>
    client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
const want = { limit: 100, prefetch: 0, offer: { num_cpus: 100, memory_gb: 100, num_gpus: 0, num_nodes: 1 } };

/** Runs all jobs that are ready; those that are named "bad" fail. */
async function runReady(service: TestService, flow: Flow) {
  const turn = turnOf(service, flow);
  const { jobs } = await turn({ want });
  await turn({ started: jobs.map(started), completed: jobs.map((job) => ended(job, job.name === 'bad' ? 3 : 0)) });
}

describe('spans of a workflow', () => {
  it('a run is a trace: each job below the workflow, each attempt below its job, with the reason of a failure', async () => {
    const [service, receiver] = [testService(), await httpReceiver()];
    sending(service, receiver);
    const flow = await workflowOf(service, [{ name: 'good' }, { name: 'bad', retries: '[]' }], {}, { name: 'study' });
    const turn = turnOf(service, flow);
    const { jobs } = await turn({ want });
    const bad = jobs.find(({ name }) => name === 'bad') as (typeof jobs)[number];
    await turn({ started: jobs.map(started), retried: [{ ...ended(bad, 3), max_retries: 3 }] });
    const again = (await turn({ want })).jobs;
    const good = jobs.find(({ name }) => name === 'good') as (typeof jobs)[number];
    await turn({ started: again.map(started), completed: [...again.map((job) => ended(job, 4)), ended(good)] });

    const found = await until(
      () => new Map(receiver.arrived.flatMap(({ text }) => spansIn(text)).map((span) => [span.name, span])),
      (spans) => spans.has('study'),
      'the span of the run',
    );
    const of = (name: string) => found.get(name) as Span;
    expect([...found.keys()].sort()).toEqual([
      'bad',
      'bad, attempt 1',
      'bad, attempt 2',
      'good',
      'good, attempt 1',
      'study',
    ]);
    expect(new Set([...found.values()].map(({ traceId }) => traceId)).size).toBe(1);
    expect(of('study')).not.toHaveProperty('parentSpanId');
    for (const name of ['good', 'bad']) expect(of(name).parentSpanId).toBe(of('study').spanId);
    for (const attempt of [1, 2]) expect(of(`bad, attempt ${attempt}`).parentSpanId).toBe(of('bad').spanId);
    expect(of('bad, attempt 2').status).toEqual({ code: 2, message: 'the command itself ended with 4' });
    expect(of('study').status).toEqual({ code: 2, message: '1 job failed, 0 stopped' });
    expect([of('good'), of('good, attempt 1')].map(({ status }) => status)).toEqual([undefined, undefined]);
    expect(of('bad, attempt 1').attributes).toContainEqual({ key: 'process.exit.code', value: { intValue: '3' } });
    expect(of('study').endTimeUnixNano).toBe(`${Date.parse('2026-03-01T12:00:01.000Z')}000000`);
    const [first] = receiver.arrived;
    expect([first?.path, first?.headers['content-type'], first?.headers.authorization]).toEqual([
      '/v1/traces',
      'application/json',
      'Bearer of-a-test',
    ]);
  });

  it('neither the command of a job nor its environment is in its spans', async () => {
    const [service, receiver] = [testService(), await httpReceiver()];
    const { sender } = sending(service, receiver);
    await runReady(service, await workflowOf(service, [{ name: 'a', command: 'login --password hidden' }]));
    await sender.close();
    expect(receiver.arrived.length).toBeGreaterThan(0);
    expect(receiver.arrived.map(({ text }) => text).join()).not.toContain('hidden');
  });

  it('a run that has not ended has no span, and gets it when a job that never started was canceled', async () => {
    const [service, receiver] = [testService(), await httpReceiver()];
    sending(service, receiver);
    const flow = await workflowOf(service, [{ name: 'a' }, { name: 'b', after: ['a'] }], {}, { name: 'study' });
    await runReady(service, flow);
    await until(
      () => namesIn(receiver),
      (names) => names.includes('a'),
      'the span of the job',
    );
    expect(namesIn(receiver)).not.toContain('study');
    await service.client.cancelWorkflow({ params: { id: flow.id } });
    await until(
      () => namesIn(receiver),
      (names) => names.includes('study'),
      'the span of the run',
    );
  });
});

describe('a receiver of spans', () => {
  it('while it is away nothing is lost and one notice is given; later everything arrives once', async () => {
    const [service, receiver] = [testService(), await httpReceiver()];
    receiver.answer = (response) => response.writeHead(503).end();
    const { notices } = sending(service, receiver);
    await runReady(service, await workflowOf(service, [{ name: 'a' }, { name: 'b' }], {}, { name: 'study' }));
    await receiver.has(2);
    const refused = receiver.arrived.length;
    receiver.answer = (response) => response.end('{}');
    const accepted = () => receiver.arrived.slice(refused).flatMap(({ text }) => spansIn(text).map(({ name }) => name));
    await until(accepted, (names) => names.includes('study'), 'the span of the run');
    await until(
      () => notices,
      (all) => all.length === 2,
      'both notices',
    );
    expect(notices).toEqual(['Spans cannot be sent', 'Spans are sent again']);
    expect(new Set(accepted()).size).toBe(accepted().length);
  });

  it('what it refuses is not sent again, and what ends later is', async () => {
    const [service, receiver] = [testService(), await httpReceiver()];
    receiver.answer = (response) => response.writeHead(400).end('no');
    const { notices } = sending(service, receiver);
    const flow = await workflowOf(service, [{ name: 'a' }, { name: 'b', after: ['a'] }]);
    await runReady(service, flow);
    await receiver.has(1);
    receiver.answer = (response) => response.end('{}');
    await runReady(service, flow);
    await until(
      () => namesIn(receiver),
      (names) => names.includes('b'),
      'the next job',
    );
    expect(namesIn(receiver).filter((name) => name === 'a')).toEqual(['a']);
    expect(notices[0]).toBe('Spans cannot be sent');
  });

  it('a redirect is not followed: the login stays with the receiver that was named', async () => {
    const [service, receiver, other] = [testService(), await httpReceiver(), await httpReceiver()];
    receiver.answer = (response) => response.writeHead(307, { location: `${other.url}/v1/traces` }).end();
    sending(service, receiver);
    await runReady(service, await workflowOf(service, [{ name: 'a' }]));
    await receiver.has(2);
    expect(other.arrived).toEqual([]);
  });

  it('one that never answers does not keep a server from ending', async () => {
    const [service, receiver] = [testService(), await httpReceiver()];
    receiver.answer = () => {};
    const { sender } = sending(service, receiver, 60_000);
    await runReady(service, await workflowOf(service, [{ name: 'a' }]));
    await sender.close();
    expect(receiver.arrived).toHaveLength(1);
  });

  it('a server that ends sends first what has ended, and one that starts sends nothing of it again', async () => {
    const [service, receiver] = [testService(), await httpReceiver()];
    const first = sending(service, receiver, 60_000);
    const flow = await workflowOf(service, [{ name: 'a' }, { name: 'b', after: ['a'] }], {}, { name: 'study' });
    await runReady(service, flow);
    await first.sender.close();
    expect(namesIn(receiver)).toEqual(['a, attempt 1', 'a']);
    const second = sending(service, receiver, 60_000);
    await runReady(service, flow);
    await second.sender.close();
    expect(namesIn(receiver).slice(2)).toEqual(['b, attempt 1', 'b', 'study']);
    // Spans of two servers belong together.
    expect(new Set(receiver.arrived.flatMap(({ text }) => spansIn(text).map(({ traceId }) => traceId))).size).toBe(1);
  });
});
