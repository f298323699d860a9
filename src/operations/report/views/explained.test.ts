import { expect, it } from 'vitest';
import type { AttemptOfJob } from '../../../core/contract/view.ts';
import type { ExplainedJob } from '../../explain/explain.ts';
import { explainedJson, explainedLines } from './explained.ts';

const attempt = (number: number): AttemptOfJob => ({
  kind: 'ended',
  run_id: 1,
  attempt_id: number,
  status: 'failed',
  return_code: 75,
  ended_at: '2026-03-01T12:00:00Z',
  seconds: 1,
  cause_code: 'exit',
  why: 'the command itself ended with 75',
});

/** A job whose first line is about its last attempt, or that waits for the next one. */
const explained = (kind: 'ended' | 'waits', attempts: number): ExplainedJob => {
  const facts = {
    id: 7,
    name: 'work',
    status: 'failed',
    workflow: { id: 1 },
    ...(kind === 'ended' ? { end: {} } : {}),
  };
  const explanation = { kind, headline: 'is explained', reasons: [], next: [] };
  const listed = Array.from({ length: attempts }, (_, at) => attempt(at + 1));
  return {
    facts,
    explanation: { ...explanation, attempts: listed },
    paths: {},
    stderrTail: [],
  } as unknown as ExplainedJob;
};
const lines = (kind: 'ended' | 'waits', attempts: number) =>
  explainedLines(explained(kind, attempts), [], (words) => words);
const codes = (kind: 'ended' | 'waits', attempts: number) =>
  explainedJson(explained(kind, attempts), (words) => words).reasons.map(({ code }) => code);

it('of many attempts a person reads the last 20 and the command that lists all, and a program gets all of them', () => {
  const shown = lines('ended', 25);
  expect(shown.slice(1, 5)).toEqual([
    '',
    'Attempts:',
    '  5 more before these: torc results list 1 --job-id 7 --all-runs',
    '  attempt 6 failed with exit code 75 after 1.0s, 2026-03-01T12:00:00Z',
  ]);
  expect(shown).toHaveLength(4 + 2 * 20);
  expect(lines('ended', 20)[3]).toMatch(/^ {2}attempt 1 failed/);
  expect(explainedJson(explained('ended', 25), (words) => words).attempts).toHaveLength(25);
});

it('the only attempt is listed for a person where the headline is not about it, and the reasons of a program have those before', () => {
  expect(lines('ended', 1)).toEqual(['Job 7 (work) is explained']);
  expect(lines('waits', 1)).toContain('Attempts:');
  expect([codes('ended', 1), codes('ended', 2), codes('waits', 1)]).toEqual([
    [],
    ['earlier_attempt'],
    ['earlier_attempt'],
  ]);
});
