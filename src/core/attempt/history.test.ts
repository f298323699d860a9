import { describe, expect, it } from 'vitest';
import { attemptLines, attemptsOf, type KnownAttempts, type RecordedAttempt } from './history.ts';

const ended = (run: number, attempt: number, over: Partial<RecordedAttempt> = {}): RecordedAttempt => ({
  run,
  attempt,
  status: 'failed',
  returnCode: 75,
  causeCode: 'exit',
  seconds: 1.2,
  endedAt: '2026-03-01T12:00:00.123Z',
  nodeId: 3,
  hostname: 'n1',
  ...over,
});
const done = { status: 'completed', returnCode: 0, causeCode: undefined } as const;
const job = (over: Partial<KnownAttempts> = {}): KnownAttempts => ({
  status: 'completed',
  attempt: 1,
  run: 1,
  startedAt: undefined,
  runningOn: undefined,
  recorded: [],
  ...over,
});
const lines = (over: Partial<KnownAttempts>) => attemptLines(attemptsOf(job(over)));
const numbers = (over: Partial<KnownAttempts>) =>
  attemptsOf(job(over)).map(({ kind, run_id: run, attempt_id: attempt }) => [kind, run, attempt]);

describe('the attempts of a job', () => {
  it('each says when, where, how long and why it ended, and one that succeeded needs no reason', () => {
    expect(lines({ attempt: 2, recorded: [ended(1, 1), ended(1, 2, done)] })).toEqual([
      'attempt 1 failed with exit code 75 after 1.2s on n1, 2026-03-01T12:00:00Z',
      '  the command itself ended with 75',
      'attempt 2 completed after 1.2s on n1, 2026-03-01T12:00:00Z',
    ]);
  });

  it('what a failure handler gave to the next one is shown as it was stored', () => {
    const cause = 'it had 100 MiB; the next attempt has 200 MiB (on_oom)';
    const [first] = attemptsOf(
      job({ attempt: 2, recorded: [ended(1, 1, { returnCode: 137, causeCode: 'memory', cause })] }),
    );
    expect(first).toMatchObject({ kind: 'ended', cause_code: 'memory', return_code: 137 });
    expect(first?.why).toContain(cause);
  });

  it('those of all runs are listed in the order of runs and numbers, and each names its run where there are several', () => {
    const stopped = ended(1, 2, { status: 'terminated', returnCode: 143, causeCode: 'stopped', hostname: undefined });
    expect(lines({ run: 2, attempt: 2, recorded: [ended(2, 2, done), stopped, ended(1, 1)] })).toEqual([
      expect.stringMatching(/^run 1, attempt 1 failed with exit code 75 /),
      '  the command itself ended with 75',
      'run 1, attempt 2 was terminated with exit code 143 after 1.2s, 2026-03-01T12:00:00Z',
      '  its runner was stopped',
      expect.stringMatching(/^run 2, attempt 2 completed /),
    ]);
  });

  it('an attempt with a result in an earlier run is not one without a result', () => {
    const recorded = [ended(1, 1), ended(1, 2)];
    expect(numbers({ run: 2, attempt: 2, status: 'ready', recorded })).toEqual([
      ['ended', 1, 1],
      ['ended', 1, 2],
    ]);
  });

  it('a number that no result of any run has is an attempt without a result, at its place, and its run is unknown', () => {
    const recorded = [ended(1, 1), ended(2, 4, done)];
    expect(numbers({ run: 2, attempt: 4, recorded })).toEqual([
      ['ended', 1, 1],
      ['no_result', undefined, 2],
      ['no_result', undefined, 3],
      ['ended', 2, 4],
    ]);
    expect(lines({ attempt: 2, status: 'ready' })).toEqual([
      'attempt 1 left no result',
      expect.stringMatching(/^ {2}the job was reset/),
    ]);
  });

  it('one that was lost with its runner has a result, which says so', () => {
    const lost = ended(1, 1, { returnCode: -128, causeCode: 'lost', cause: 'its process is gone' });
    expect(lines({ status: 'ready', attempt: 2, recorded: [lost] })).toEqual([
      'attempt 1 failed with exit code -128 after 1.2s on n1, 2026-03-01T12:00:00Z',
      '  its runner was lost while it ran: its process is gone',
    ]);
  });

  it('the one that runs is the last, with its start and its host, and a job that waits has none that runs', () => {
    const runs = {
      status: 'running',
      run: 2,
      attempt: 2,
      startedAt: '2026-03-01T12:00:05.5Z',
      runningOn: 'n2',
    } as const;
    expect(lines({ ...runs, recorded: [ended(1, 1)] }).at(-1)).toBe(
      'run 2, attempt 2 runs on n2 since 2026-03-01T12:00:05Z',
    );
    expect(lines({ status: 'ready', run: 2, recorded: [] })).toEqual([]);
  });

  it('a job that is up to date from an earlier run has the attempt of that run', () => {
    expect(numbers({ run: 3, recorded: [ended(1, 1, done)] })).toEqual([['ended', 1, 1]]);
  });

  it('of many the last ones are shown, with their run also if all of these are of one', () => {
    const recorded = [ended(1, 1), ended(2, 1, done), ended(2, 2, done)];
    expect(attemptLines(attemptsOf(job({ run: 2, attempt: 2, recorded })), 2)).toEqual([
      expect.stringMatching(/^run 2, attempt 1 /),
      expect.stringMatching(/^run 2, attempt 2 /),
    ]);
  });

  it('a number that a client set lists no million of attempts', () => {
    expect(attemptsOf(job({ status: 'ready', attempt: 1_000_000_000 }))).toHaveLength(100);
  });
});
