import { expect, it } from 'vitest';
import { createSpanSender } from '../../src/server/spans/send.ts';
import { httpReceiver } from '../support/http-receiver.ts';
import { ended, started, testService, type TestService, workflowOf } from '../support/service.ts';

/** What public reports say of metrics and traces of other programs, tried on ours. */

const metricsOf = async ({ app }: TestService) => (await app.request('/metrics')).text();
const seriesIn = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

it('https://github.com/argoproj/argo-workflows/issues/13683: a label for each workflow made a series for each that ever ran', async () => {
  const [few, many] = [testService(), testService()];
  for (const [service, count] of [
    [few, 60],
    [many, 90],
  ] as const)
    for (let at = 0; at < count; at += 1) await workflowOf(service, [{ name: 'a' }]);
  const [one, other] = [seriesIn(await metricsOf(few)), seriesIn(await metricsOf(many))];
  expect([one.length, one.length < 1000]).toEqual([other.length, true]);
});

it('https://github.com/argoproj/argo-workflows/issues/2663: a scrape with 12,000 workflows took 7 s, for each again', async () => {
  const service = testService();
  for (let at = 0; at < 12_000; at += 1)
    service.store.db.run("insert into workflow (name, user, timestamp) values ('w', 'u', '2026-01-01T00:00:00Z')");
  service.store.db.run('update job_count set jobs = 1 where status = 5');
  const text = await metricsOf(service);
  expect(text).toContain('torc_workflows{state="ended"} 12000');
  // The time itself is in ADR 82: 12 ms, and the next scrapes get this text again.
  expect(seriesIn(text).length).toBeLessThan(100);
});

it('https://github.com/open-telemetry/opentelemetry-python/issues/2024: a program hung while the receiver of its spans was away', async () => {
  const [service, receiver] = [testService(), await httpReceiver()];
  receiver.answer = () => {};
  const target = { endpoint: receiver.url, headers: {}, serviceName: 'torc', everyMs: 10 };
  const sender = createSpanSender(service.store, target);
  const flow = await workflowOf(service, [{ name: 'a' }, { name: 'b', after: ['a'] }]);
  const turn = (body: object) =>
    service.client.exchange({ params: { id: flow.id }, body: { run_id: 1, compute_node_id: flow.nodeId, ...body } });
  const offer = { num_cpus: 1, memory_gb: 1, num_gpus: 0, num_nodes: 1 };
  for (const name of ['a', 'b']) {
    const { jobs } = await turn({ want: { limit: 1, prefetch: 0, offer } });
    expect(jobs.map((job) => job.name)).toEqual([name]);
    await turn({ started: jobs.map(started), completed: jobs.map((job) => ended(job)) });
    await receiver.has(1);
  }
  expect(await service.client.isComplete({ params: { id: flow.id } })).toMatchObject({ is_complete: true });
  await sender.close();
});

it.each([
  'https://github.com/neochaotic/leoflow/issues/319 (a line for each failed attempt to send)',
  'https://github.com/apache/maka/pull/4821 (the same line again and again while the receiver was down)',
])('%s: one notice stands for all failures until something arrives', async () => {
  const [service, receiver] = [testService(), await httpReceiver()];
  receiver.answer = (response) => response.writeHead(503).end();
  const notices: string[] = [];
  const target = { endpoint: receiver.url, headers: {}, serviceName: 'torc', everyMs: 5 };
  const sender = createSpanSender(service.store, target, (words) => notices.push(words));
  const flow = await workflowOf(service, [{ name: 'a' }]);
  const offer = { num_cpus: 1, memory_gb: 1, num_gpus: 0, num_nodes: 1 };
  const runner = { run_id: 1, compute_node_id: flow.nodeId };
  const params = { id: flow.id };
  const { jobs } = await service.client.exchange({
    params,
    body: { ...runner, want: { limit: 1, prefetch: 0, offer } },
  });
  const reported = { started: jobs.map(started), completed: jobs.map((job) => ended(job)) };
  await service.client.exchange({ params, body: { ...runner, ...reported } });
  await receiver.has(3);
  expect(notices).toEqual(['Spans cannot be sent']);
  await sender.close();
});
