import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import { createStatusFeeds, type StatusViewing } from './status-feeds.ts';

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] }),
);
afterEach(() => void vi.useRealTimers());

/** A workflow whose status is a number that grows with each change. */
function world({ takesMs = 0, stallMs = 60_000 } = {}) {
  let [jobs, made] = [0, 0];
  const stirs = new Set<() => void>();
  const dropped: string[] = [];
  const view = createStatusFeeds({
    async statusOf() {
      made += 1;
      const found = { total_jobs: jobs } as WorkflowStatus;
      if (takesMs > 0) await vi.advanceTimersByTimeAsync(takesMs);
      return found;
    },
    onChange(_, stir) {
      stirs.add(stir);
      return () => void stirs.delete(stir);
    },
    onDropped: (reason) => dropped.push(reason),
    stallMs,
  });
  const change = () => {
    jobs += 1;
    for (const stir of stirs) stir();
  };
  const look = (more: Partial<StatusViewing> = {}) =>
    reader(view({ workflowId: 1, isWelcome: () => true, onRightsChanged: () => () => {}, cut: () => {}, ...more }));
  return { view, look, change, stirs, dropped, made: () => made };
}

/** Reads a stream to its end, as it comes. */
function reader(stream: ReadableStream<Uint8Array>) {
  const read: string[] = [];
  const source = stream.getReader();
  const done = (async () => {
    const decoder = new TextDecoder();
    for (let next = await source.read(); !next.done; next = await source.read()) read.push(decoder.decode(next.value));
  })();
  return { read, done, leave: () => source.cancel() };
}

const jobsIn = (read: readonly string[]) =>
  read.flatMap((text) => /"total_jobs":(\d+)/.exec(text)?.slice(1).map(Number) ?? []);

it('a viewer gets the status at once, and a change within a quarter of a second', async () => {
  const { look, change } = world();
  const { read } = look();
  await vi.advanceTimersByTimeAsync(0);
  expect(read).toEqual([': connected\n\n', 'event: status\ndata: {"total_jobs":0}\n\n']);
  change();
  await vi.advanceTimersByTimeAsync(250);
  expect(jobsIn(read)).toEqual([0, 1]);
});

it('a thousand changes a second are at most four messages a second, and the last change is among them', async () => {
  const { look, change, made } = world();
  const { read } = look();
  for (let at = 0; at < 2_000; at += 1) {
    change();
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(made()).toBeLessThanOrEqual(9);
  await vi.advanceTimersByTimeAsync(250);
  expect(jobsIn(read).at(-1)).toBe(2_000);
});

it('nothing is sent while nothing changes, but for a comment that keeps the connection', async () => {
  const { look } = world();
  const { read } = look();
  await vi.advanceTimersByTimeAsync(40_000);
  expect(read).toEqual([
    ': connected\n\n',
    expect.stringContaining('"total_jobs":0'),
    ': keep-alive\n\n',
    ': keep-alive\n\n',
  ]);
});

it('a hundred viewers of a workflow share one status and one timer; the last one to leave ends both', async () => {
  const { look, change, made, stirs } = world();
  const viewers = Array.from({ length: 100 }, () => look());
  await vi.advanceTimersByTimeAsync(0);
  change();
  await vi.advanceTimersByTimeAsync(400);
  expect(made()).toBe(2);
  for (const { read } of viewers) expect(jobsIn(read)).toEqual([0, 1]);
  expect(stirs.size).toBe(1);
  for (const { leave } of viewers) await leave();
  expect([stirs.size, vi.getTimerCount()]).toEqual([0, 0]);
});

it('one who comes later gets the status at once, although it has not changed', async () => {
  const { look } = world();
  look();
  await vi.advanceTimersByTimeAsync(1_000);
  const { read } = look();
  await vi.advanceTimersByTimeAsync(0);
  expect(jobsIn(read)).toEqual([0]);
});

it('a status that takes long is made rarely, so that it costs a twentieth of a core at most', async () => {
  const { look, change, made } = world({ takesMs: 100 });
  look();
  for (let at = 0; at < 100; at += 1) {
    change();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(made()).toBeLessThanOrEqual(6);
});

it('one who does not read has one message in wait, and reads the newest of them', async () => {
  const { view, change } = world();
  const source = view({
    workflowId: 1,
    isWelcome: () => true,
    onRightsChanged: () => () => {},
    cut: () => {},
  }).getReader();
  for (let at = 0; at < 50; at += 1) {
    change();
    await vi.advanceTimersByTimeAsync(250);
  }
  const read = [await source.read(), await source.read()].map(({ value }) => new TextDecoder().decode(value));
  expect([read[0], jobsIn(read)]).toEqual([': connected\n\n', [50]]);
});

it('one who reads nothing for a minute is cut off, and one who reads is not', async () => {
  const { view, look, dropped } = world();
  const cut = vi.fn();
  view({ workflowId: 1, isWelcome: () => true, onRightsChanged: () => () => {}, cut });
  const { read } = look();
  await vi.advanceTimersByTimeAsync(61_000);
  expect([cut.mock.calls.length, dropped]).toEqual([1, ['nothing was read for 60 s']]);
  expect(read.at(-1)).toBe(': keep-alive\n\n');
});

it('the stream ends at once when rights were taken, and goes on when they were not', async () => {
  const checks = new Set<() => void>();
  let isWelcome = true;
  const { look, change } = world();
  const onRightsChanged = (check: () => void) => {
    checks.add(check);
    return () => void checks.delete(check);
  };
  const { read, done } = look({ isWelcome: () => isWelcome, onRightsChanged });
  await vi.advanceTimersByTimeAsync(0);
  for (const check of checks) check();
  change();
  await vi.advanceTimersByTimeAsync(250);
  expect(jobsIn(read)).toEqual([0, 1]);
  isWelcome = false;
  for (const check of checks) check();
  await done;
  expect(checks.size).toBe(0);
});
