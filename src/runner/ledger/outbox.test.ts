import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Completion, Retried, Start } from '../../core/contract/exchange.ts';
import { type Begun, createReportOutbox, type News } from './outbox.ts';

const start = (job: number): Start => ({ job_id: job, attempt_id: 1, start_time: '2026-03-01T12:00:00.250Z' });
const begun = (job: number): Begun => ({ job_id: job, attempt_id: 1, atMs: Date.parse('2026-03-01T12:00:00.250Z') });
const completion = (job: number): Completion => ({
  job_id: job,
  attempt_id: 1,
  status: 'completed',
  return_code: 0,
  exec_time_minutes: 0,
  completion_time: '2026-03-01T12:00:00.000Z',
});

const retried = (job: number): Retried => ({ ...completion(job), status: 'failed', return_code: 7, max_retries: 3 });

describe('the entries that a runner has to report', () => {
  it('there are no entries at first, and none again after they were taken', () => {
    const outbox = createReportOutbox();
    expect(outbox.isEmpty).toBe(true);
    outbox.returned([1]);
    expect(outbox.isEmpty).toBe(false);
    outbox.take();
    expect(outbox.isEmpty).toBe(true);
    expect(outbox.take()).toEqual({ started: [], completed: [], retried: [], returned: [] });
  });

  it.each<[string, (outbox: ReturnType<typeof createReportOutbox>) => void]>([
    ['a start', (outbox) => outbox.started(begun(1))],
    ['an end', (outbox) => outbox.completed(completion(1))],
    ['a retry', (outbox) => outbox.retried(retried(1))],
    ['a returned job', (outbox) => outbox.returned([1])],
  ])('the outbox is not empty with %s alone', (_, report) => {
    const outbox = createReportOutbox();
    report(outbox);
    expect(outbox.isEmpty).toBe(false);
  });

  it('the start of an ended job is left out, and that of a running job is kept', () => {
    const outbox = createReportOutbox();
    for (const job of [1, 2, 3]) outbox.started(begun(job));
    outbox.completed(completion(1));
    outbox.retried(retried(3));
    expect(outbox.take()).toEqual({
      started: [start(2)],
      completed: [completion(1)],
      retried: [retried(3)],
      returned: [],
    });
  });

  it('entries are sent in exchanges of at most 500 ends, in order', () => {
    const outbox = createReportOutbox();
    outbox.started(begun(1200));
    for (let job = 1; job <= 1200; job += 1) outbox.completed(completion(job));
    const turns: number[][] = [];
    while (!outbox.isEmpty) {
      const news = outbox.take();
      expect(news.started).toEqual([]);
      turns.push(news.completed.map(({ job_id: id }) => id));
      outbox.acknowledged();
    }
    expect(turns.map(({ length }) => length)).toEqual([500, 500, 200]);
    expect(turns.flat()).toEqual(Array.from({ length: 1200 }, (_, index) => index + 1));
  });

  it('entries are unreported until they are acknowledged, also while they are in flight', () => {
    const outbox = createReportOutbox();
    outbox.completed(completion(1));
    const news = outbox.take();
    outbox.completed(completion(2));
    expect(outbox.unreported()).toEqual([completion(1), completion(2)]);
    outbox.putBack(news);
    expect(outbox.unreported()).toEqual([completion(1), completion(2)]);
    outbox.take();
    outbox.acknowledged();
    expect(outbox.unreported()).toEqual([]);
  });

  it('without a reply, entries are sent again before later ones', () => {
    const outbox = createReportOutbox();
    outbox.started(begun(1));
    outbox.completed(completion(2));
    outbox.returned([3]);
    outbox.retried(retried(7));
    const unanswered = outbox.take();
    outbox.started(begun(4));
    outbox.completed(completion(5));
    outbox.returned([6]);
    outbox.retried(retried(8));
    outbox.putBack(unanswered);
    expect(outbox.take()).toEqual({
      started: [start(1), start(4)],
      completed: [completion(2), completion(5)],
      retried: [retried(7), retried(8)],
      returned: [3, 6],
    });
  });
});

it('no entry is lost, doubled or reordered, whichever exchanges get no reply', () => {
  const anyEvent = fc.constantFrom('start', 'end', 'retry', 'return', 'answered', 'unanswered');
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
      const outbox = createReportOutbox();
      const happened: News = { started: [], completed: [], retried: [], returned: [] };
      const heard: News = { started: [], completed: [], retried: [], returned: [] };
      const running: number[] = [];
      const hear = (news: News) => {
        heard.started.push(...news.started);
        heard.completed.push(...news.completed);
        heard.retried.push(...news.retried);
        heard.returned.push(...news.returned);
      };
      for (const [job, event] of events.entries()) {
        if (event === 'start') {
          happened.started.push(start(job));
          outbox.started(begun(job));
          running.push(job);
        } else if (event === 'end') {
          for (const ended of running.splice(0, 1)) {
            happened.completed.push(completion(ended));
            outbox.completed(completion(ended));
          }
        } else if (event === 'retry') {
          for (const ended of running.splice(0, 1)) {
            happened.retried.push(retried(ended));
            outbox.retried(retried(ended));
          }
        } else if (event === 'return') {
          happened.returned.push(job);
          outbox.returned([job]);
        } else if (event === 'answered') hear(outbox.take());
        else outbox.putBack(outbox.take());
      }
      hear(outbox.take());
      expect(heard.completed).toEqual(happened.completed);
      expect(heard.retried).toEqual(happened.retried);
      expect(heard.returned).toEqual(happened.returned);
      // A start may be missing only if the end of its job was reported.
      const said = new Set(heard.started.map(({ job_id: job }) => job));
      const unsaid = happened.started.filter(({ job_id: job }) => !said.has(job));
      expect(heard.started).toEqual(happened.started.filter(({ job_id: job }) => said.has(job)));
      expect(unsaid.every(({ job_id: job }) => !running.includes(job))).toBe(true);
    }),
  );
});
