import { describe, expect, it, test } from 'vitest';
import type { Verdict as Judged } from '../../../core/attempt/judge.ts';
import { readRetryRules, type Rule, type RetryRules, retryVerdictOf } from './exit-code-rules.ts';

const rule = (over: Partial<Rule>): Rule => ({
  exitCodes: [],
  matchesAll: false,
  recoveryScript: undefined,
  maxRetries: 3,
  ...over,
});
const failed = (returnCode: number) => ({ status: 'failed' as const, returnCode });
const terminated = (returnCode: number) => ({ status: 'terminated' as const, returnCode });

const forAll = rule({ matchesAll: true, recoveryScript: 'all' });
const forTwo = rule({ exitCodes: [2], recoveryScript: 'two' });
const alsoTwo = rule({ exitCodes: [1, 2], recoveryScript: 'also two' });

describe('the rule that applies', () => {
  const chosen = (rules: readonly Rule[], returnCode: number) => {
    const verdict = retryVerdictOf(failed(returnCode), 1, rules, false);
    return verdict.kind === 'again' ? verdict.rule.recoveryScript : verdict.kind;
  };

  it('the first rule that names the return code applies', () => {
    expect(chosen([forTwo, alsoTwo], 2)).toBe('two');
    expect(chosen([alsoTwo, forTwo], 2)).toBe('also two');
    expect(chosen([forTwo, alsoTwo], 1)).toBe('also two');
  });

  it('a rule for all return codes applies only if no rule names the code, at any position', () => {
    expect(chosen([forAll, forTwo], 2)).toBe('two');
    expect(chosen([forAll, forTwo], 3)).toBe('all');
  });

  it('without a matching rule the job stays failed', () => {
    expect(chosen([forTwo], 3)).toBe('stays');
    expect(chosen([], 3)).toBe('stays');
  });
});

test.each([
  [1, 3, 'again'],
  [2, 3, 'again'],
  [3, 3, 'stays'],
  [4, 3, 'stays'],
  [1, 1, 'stays'],
  [1, 0, 'stays'],
])('attempt %d of at most %d: %s', (attempt, maxRetries, kind) => {
  expect(retryVerdictOf(failed(1), attempt, [rule({ matchesAll: true, maxRetries })], false).kind).toBe(kind);
});

test('a job terminated at its time limit is retried like a failed one', () => {
  expect(retryVerdictOf(terminated(152), 1, [rule({ exitCodes: [152] })], false).kind).toBe('again');
});

describe('a workflow that keeps undecided jobs', () => {
  const kind = (rules: RetryRules, { outcome = failed(1), attempt = 1 }: { outcome?: Judged; attempt?: number } = {}) =>
    retryVerdictOf(outcome, attempt, rules, true).kind;

  it('a job waits for a decision without a handler, and without a rule for its return code', () => {
    expect(kind('none')).toBe('undecided');
    expect(kind([])).toBe('undecided');
    expect(kind([forTwo])).toBe('undecided');
  });

  it('a job does not wait for a decision if a rule covers it, even one that allows no more attempts', () => {
    expect(kind([forAll])).toBe('again');
    expect(kind([forAll], { attempt: 3 })).toBe('stays');
  });

  it('a job does not wait for a decision if its rules are unreadable, or if it was terminated', () => {
    expect(kind('unreadable')).toBe('stays');
    expect(kind('none', { outcome: terminated(143) })).toBe('stays');
  });
});

describe('the text of a failure handler', () => {
  it('a failure handler may omit every field and contain unknown ones', () => {
    expect(readRetryRules('[{}, {"colour": "red", "exit_codes": null}]')).toEqual([rule({}), rule({})]);
    expect(readRetryRules('[]')).toEqual([]);
  });

  it('a failure handler is read as Torc 1.0.0 writes it', () => {
    const text =
      '[{"exit_codes":[1,137],"match_all_exit_codes":false,"recovery_script":"bash fix.sh","max_retries":5}]';
    expect(readRetryRules(text)).toEqual([rule({ exitCodes: [1, 137], recoveryScript: 'bash fix.sh', maxRetries: 5 })]);
  });

  test.each([
    ['', 'JSON'],
    ['{}', 'expected a list of rules, found an object'],
    ['[1]', 'rule 1: expected an object, found a number'],
    ['[{}, {"exit_codes": [1.5]}]', 'rule 2: exit_codes: expected a list of whole numbers, found [1.5]'],
    ['[{"max_retries": "2"}]', 'rule 1: max_retries: expected a whole number, found "2"'],
    ['[{"match_all_exit_codes": 1}]', 'rule 1: match_all_exit_codes: expected true or false, found 1'],
    ['[{"recovery_script": []}]', 'rule 1: recovery_script: expected text, found []'],
  ])('a failure handler with %s is refused with the problem and its place', (text, message) => {
    expect(() => readRetryRules(text)).toThrow(message);
  });
});
