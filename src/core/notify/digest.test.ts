import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jobStatuses } from '../job/job-statuses.ts';
import { parseMoment } from '../quantity/moment.ts';
import { bundleOf } from './bundle.ts';
import { digestOf, findingsOf, type NotifyFacts, digestSubject, digestText, type Thresholds } from './digest.ts';

const NOW = parseMoment('2026-03-01T14:32:00Z') ?? 0;
const usual: Thresholds = { failPercent: 10, timePercent: 80, silentSeconds: 1800 };
const facts = (over: Partial<NotifyFacts> = {}): NotifyFacts => ({
  workflow: { id: 3, name: 'sweep', user: 'ada' },
  runId: 1,
  counts: { completed: 8, running: 2 },
  isCanceled: false,
  hasBegun: true,
  lost: [],
  runners: [{ host: 'n1', lastWordMs: NOW }],
  allocations: 0,
  reasons: [],
  nowMs: NOW,
  ...over,
});
const found = (over: Partial<NotifyFacts>, thresholds: Partial<Thresholds> = {}) =>
  Object.fromEntries(
    findingsOf(facts(over), { ...usual, ...thresholds }).map(({ trigger, sentence }) => [trigger, sentence]),
  );
const failure = { jobId: 7, jobName: 'train', status: 'failed', returnCode: 3, causeCode: 'exit' } as const;

describe('what is worth a message', () => {
  it('a workflow whose jobs run has begun, and nothing else is worth a message', () => {
    expect(found({})).toEqual({ begin: 'its first runner has begun' });
    expect(found({ hasBegun: false, isCanceled: true })).toEqual({});
  });

  it('the end says what became of the jobs, and how long it took', () => {
    expect(found({ counts: { completed: 9, failed: 1 }, wallSeconds: 123 })['end']).toBe(
      'it ended: 9 completed, 1 failed in 2m 03s',
    );
    expect(found({ isCanceled: true, counts: { canceled: 2 } })['end']).toBe('it was canceled: 2 stopped (canceled)');
    expect(found({ counts: { completed: 9, ready: 1 } })).not.toHaveProperty('end');
    expect(found({ counts: {} })).not.toHaveProperty('end');
  });

  it('a first failure has the sentence of its cause', () => {
    expect(found({ counts: { failed: 1, running: 20 }, failure })['first_failure']).toBe(
      'a job failed: train (job 7): the command itself ended with 3',
    );
    expect(found({ counts: { terminated: 1, running: 20 } })).not.toHaveProperty('first_failure');
  });

  it('many failures are at least two, and as much of all jobs as was asked for', () => {
    expect(found({ counts: { failed: 2, running: 18 } })['many_failures']).toBe('2 jobs of 20 failed (10 %)');
    expect(found({ counts: { failed: 2, running: 19 } })).not.toHaveProperty('many_failures');
    expect(found({ counts: { failed: 1, running: 2 } })).not.toHaveProperty('many_failures');
    expect(found({ counts: { failed: 2, running: 19 } }, { failPercent: 5 })).toHaveProperty('many_failures');
  });

  it('a workflow that nothing runs says why, and not after it has ended', () => {
    const reasons = ['1 ready job needs more CPUs than the runner has'];
    const waits = { counts: { completed: 1, ready: 3 }, waitsSinceMs: NOW, reasons };
    expect(found(waits)['stuck']).toBe(`3 jobs wait, and nothing runs them: ${reasons[0]}`);
    expect(found({ ...waits, counts: { completed: 4 } })).not.toHaveProperty('stuck');
    expect(found({ ...waits, waitsSinceMs: undefined })).not.toHaveProperty('stuck');
  });

  it('a lost runner says what it had and how that is known; one that is silent is not called lost', () => {
    const lost = [{ host: 'n7', jobs: 3, reason: 'Slurm: NODE_FAIL' }];
    expect(found({ lost })['runner_lost']).toBe('its runner on n7 is lost, which had 3 jobs: Slurm: NODE_FAIL');
    const silent = [{ host: 'n1', lastWordMs: NOW - 1_800_000 }];
    const said = found({ runners: silent });
    expect(said['silent']).toBe('no word since 14:02 UTC from its runner on n1; whether it is lost is not known');
    expect(said).not.toHaveProperty('runner_lost');
    expect(found({ runners: silent }, { silentSeconds: 1801 })).not.toHaveProperty('silent');
  });

  it('a runner near its end counts while jobs are left, and a budget when it is used up', () => {
    const runners = [{ host: 'n1', left: { seconds: 720, ofSeconds: 3600 } }];
    expect(found({ runners, counts: { running: 2, ready: 5 } })['time']).toBe(
      'its runner on n1 ends in 12m 00s: 2 running, 5 not run',
    );
    expect(found({ runners, counts: { completed: 2 } })).not.toHaveProperty('time');
    expect(found({ runners }, { timePercent: 90 })).not.toHaveProperty('time');
    expect(found({ coreHours: 12 }, { budgetCoreHours: 12 })['budget']).toBe(
      'its jobs have used 12 core hours, and its budget is 12',
    );
    expect(found({ coreHours: 11 }, { budgetCoreHours: 12 })).not.toHaveProperty('budget');
  });
});

describe('a message', () => {
  it('a message has one line as its subject and a bounded size, whatever a workflow and its jobs are called', () => {
    const counts = fc.dictionary(fc.constantFrom(...jobStatuses), fc.nat(1_000_000));
    const text = fc.string({ unit: 'binary', maxLength: 2_000 });
    fc.assert(
      fc.property(text, text, text, counts, (name, jobName, reason, byStatus) => {
        const given = facts({
          workflow: { id: 1, name: `${name}\r\nBcc: eve@example.org`, user: 'ada' },
          counts: byStatus,
          failure: { ...failure, jobName, cause: reason },
          lost: [{ host: 'n', jobs: 1, reason }],
          reasons: [reason, reason, reason, reason],
          waitsSinceMs: NOW,
        });
        const digest = digestOf(given, findingsOf(given, usual));
        expect(digestSubject(digest)).not.toMatch(/[\r\n]/);
        expect(digestSubject(digest).length).toBeLessThanOrEqual(200);
        // A control character becomes six.
        expect(digestText(digest).length).toBeLessThan(40_000);
        expect(digestOf(given, findingsOf(given, usual))).toEqual(digest);
      }),
    );
  });

  it('a message about many workflows counts them, names the first ones, and adds up their jobs', () => {
    const one = (id: number) => {
      const given = facts({ workflow: { id, name: 'w', user: 'ada' }, counts: { completed: 1, failed: id % 2 } });
      return digestOf(given, findingsOf(given, usual));
    };
    const many = bundleOf(Array.from({ length: 10_000 }, (_, at) => one(at + 1)));
    expect(digestSubject(many)).toBe(
      'torc: w and others (workflow 1): 10000 messages at once, 5000 of them about jobs that did not complete',
    );
    expect(many.jobs).toMatchObject({ completed: 10_000, failed: 5_000 });
    expect(many.findings).toHaveLength(22);
    expect(many.findings.at(-1)?.sentence).toBe('and 9980 more');
    expect(bundleOf([one(1)])).toEqual(one(1));
  });
});
