import { describe, expect, it } from 'vitest';
import type { ClaimedJob, Completion } from '../../../core/contract/exchange.ts';
import { readCauses } from '../../../core/lifecycle/retry/cause-rules.ts';
import { decideRetry, type HandlerRules, NO_HANDLER, NO_LIMIT, type Terms, UNREADABLE } from './decide.ts';
import { readRetryRules } from './exit-code-rules.ts';

const GIB = 2 ** 30;
const job = (over: Partial<ClaimedJob> = {}) =>
  ({
    id: 7,
    attempt_id: 1,
    resource_requirements_id: 5,
    need: { num_cpus: 1, memory_bytes: GIB, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 },
    ...over,
  }) as ClaimedJob;
const completion = { job_id: 7, attempt_id: 1, status: 'failed', return_code: 3, exec_time_minutes: 1 } as Completion;
const handler = (...entries: readonly object[]): HandlerRules => {
  const text = JSON.stringify(entries);
  return { rules: readRetryRules(text), causes: readCauses(text) };
};
const terms: Terms = { usesPendingFailed: false, unlimited: 4 };

const forThree = { exit_codes: [3], max_retries: 2, recovery_script: 'mend' };
const forMemory = { on_oom: { memory: 'x2', max: '2g' } };

describe('rules about exit codes', () => {
  it('a failed attempt is repeated by the rule for its exit code, and ends with the last attempt of the rule', () => {
    const by = (over: Partial<ClaimedJob>) =>
      decideRetry(job(over), { completion, cause: undefined }, handler(forThree), terms);
    expect(by({})).toEqual({
      kind: 'again',
      completion,
      again: { maxRetries: 2, recoveryScript: 'mend', raise: undefined, isRefunded: false, pauseSeconds: 0 },
    });
    expect(by({ attempt_id: 2 })).toEqual({ kind: 'end', completion });
    expect(by({ attempt_id: 2, refunded_attempts: 1 }).kind).toBe('again');
  });

  it('an attempt that no rule covers waits for a decision if the workflow enables that, and else stays failed', () => {
    const waits = { ...terms, usesPendingFailed: true };
    const failed = { completion, cause: undefined };
    expect(decideRetry(job(), failed, NO_HANDLER, waits).completion.status).toBe('pending_failed');
    expect(decideRetry(job(), failed, NO_HANDLER, terms)).toEqual({ kind: 'end', completion });
    expect(decideRetry(job(), failed, UNREADABLE, waits)).toEqual({ kind: 'end', completion });
  });

  it('the pause before a retry grows with the attempts', () => {
    const rules = handler({ ...forThree, max_retries: 9 }, { backoff: { initial: 'PT10S' } });
    const pauses = [1, 2, 3].map((attempt) => {
      const decision = decideRetry(job({ attempt_id: attempt }), { completion, cause: undefined }, rules, terms);
      return decision.kind === 'again' && decision.again.pauseSeconds;
    });
    expect(pauses).toEqual([10, 20, 40]);
  });
});

describe('rules about causes', () => {
  it('a rule about the cause precedes the rule for the exit code, raises the requirement and says why', () => {
    const decision = decideRetry(job(), { completion, cause: 'memory' }, handler(forThree, forMemory), terms);
    expect(decision).toEqual({
      kind: 'again',
      completion: { ...completion, cause: expect.stringContaining('the next attempt has 2 GiB (on_oom)') },
      again: {
        maxRetries: NO_LIMIT,
        recoveryScript: undefined,
        raise: { memory_bytes: 2 * GIB },
        isRefunded: false,
        pauseSeconds: 0,
      },
    });
  });

  it('what is known of the end stays in its cause, before what the rule makes of it', () => {
    const killed = { ...completion, cause: 'it used 394 of 1024 MiB' };
    const decision = decideRetry(job(), { completion: killed, cause: 'memory' }, handler(forMemory), terms);
    expect(decision.completion.cause).toBe(
      'it used 394 of 1024 MiB; it had 1 GiB; the next attempt has 2 GiB (on_oom)',
    );
  });

  it('at the limit of a rule about its cause the attempt is final, though a rule for its exit code is there', () => {
    const full = job({ need: { ...job().need, memory_bytes: 2 * GIB } });
    expect(decideRetry(full, { completion, cause: 'memory' }, handler(forThree, forMemory), terms)).toEqual({
      kind: 'end',
      completion: { ...completion, cause: expect.stringContaining('the max of on_oom'), handler_limit: 'max' },
    });
  });

  it('a job without requirements of its own has no limit to raise, but a failed node counts for it as well', () => {
    const plain = job({ resource_requirements_id: 4 });
    const rules = handler(forMemory, { on_node_fail: 'retry' });
    expect(decideRetry(plain, { completion, cause: 'memory' }, rules, terms)).toEqual({ kind: 'end', completion });
    expect(decideRetry(plain, { completion, cause: 'node' }, rules, terms)).toMatchObject({
      kind: 'again',
      again: { isRefunded: true, raise: undefined, maxRetries: NO_LIMIT },
    });
  });
});

describe('a job that was ended at its timeout', () => {
  const forTime = { on_timeout: { runtime: 'x2', max: 'PT24H', max_retries: 2 } };
  const timeout = { seconds: 5, setBy: 'timeout: PT5S', isRequest: false };
  const ended = { ...completion, status: 'terminated', return_code: 143, exec_time_minutes: 5 / 60 } as Completion;
  const by = (over: Partial<ClaimedJob>, how: object = {}) =>
    decideRetry(job(over), { completion: ended, cause: 'time', timeout, ...how }, handler(forTime), terms);

  it('on_timeout repeats it with the same timeout and the same runtime, also without requirements, as often as it says', () => {
    for (const requirements of [5, terms.unlimited])
      expect(by({ resource_requirements_id: requirements as number })).toMatchObject({
        kind: 'again',
        completion: { cause: 'it runs again with the same timeout (on_timeout)' },
        again: { maxRetries: 2, raise: undefined, isRefunded: false },
      });
    expect(by({ attempt_id: 2 })).toMatchObject({
      kind: 'end',
      completion: { cause: 'attempt 2 was the last that on_timeout allows; timeout: PT5S is not raised' },
    });
  });

  it('where the requested runtime is the timeout, on_timeout raises it', () => {
    const need = { ...job().need, runtime_seconds: 5 };
    expect(by({ need }, { timeout: { ...timeout, isRequest: true } })).toMatchObject({
      kind: 'again',
      again: { raise: { runtime_seconds: 60 } },
    });
  });

  it('without a rule about it, it stays ended', () => {
    const failed = { completion: ended, cause: 'time', timeout } as const;
    expect(decideRetry(job(), failed, NO_HANDLER, terms).kind).toBe('end');
  });
});
