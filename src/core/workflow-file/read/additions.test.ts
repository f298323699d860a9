import { expect, it } from 'vitest';
import { jobsOf, planned, read, readText } from '../../../../tests/spec/reading.ts';

const entry = { name: 'train_{i}', command: 'true', parameters: { i: '1:3' } };
const spec = (additions: unknown, more: object = {}) => ({
  metadata: { ticket: 42, additions },
  jobs: [entry],
  ...more,
});
const problems = (additions: unknown, more: object = {}) =>
  read(spec(additions, more)).problems.map(({ code, path, message }) => [code, path, message]);

it('what stands in metadata.additions is read in its own place, and stays in the metadata that is stored', () => {
  const additions = { limits: { matlab: 4 }, jobs: { 'train_{i}': { licenses: { matlab: 1 }, timeout: 'PT2H' } } };
  expect(problems(additions)).toEqual([]);
  const { workflow } = planned(spec(additions));
  expect(workflow.limits).toEqual({ matlab: 4 });
  expect(workflow.metadata).toEqual({ ticket: 42, additions });
  expect(jobsOf(spec(additions)).map(({ settings }) => settings)).toEqual(
    Array.from({ length: 3 }, () => ({ licenses: { matlab: 1 }, timeout: 'PT2H' })),
  );
});

it('additions to a map are read among its fields, and one that is there already is refused', () => {
  const more = { execution_config: { sigterm_lead_seconds: 9 } };
  expect(planned(spec({ execution_config: { pipefail: true } }, more)).executionConfig()).toEqual({
    mode: 'direct',
    sigterm_lead_seconds: 9,
    pipefail: true,
  });
  expect(problems({ execution_config: { sigterm_lead_seconds: 8 } }, more)).toEqual([
    [
      'ADDITION_REFUSED',
      'metadata.additions.execution_config.sigterm_lead_seconds',
      expect.stringContaining('already'),
    ],
  ]);
});

it('metadata without additions changes nothing', () => {
  for (const metadata of [undefined, { ticket: 42 }, { additions: null }])
    expect(jobsOf({ metadata, jobs: [entry] })[0]?.settings).toEqual({});
});

it.each([
  [4, 'metadata.additions', 'must be a map of fields, found integer `4`'],
  [{ limit: { matlab: 4 } }, 'limit', 'unknown field `limit`'],
  [{ jobs: { train: { max_running: 2 } } }, 'metadata.additions.jobs.train', 'no entry of jobs has the name "train"'],
  [{ jobs: { 'train_{i}': 2 } }, 'metadata.additions.jobs["train_{i}"]', 'expected a map of fields'],
  [
    { jobs: { 'train_{i}': { command: 'x' } } },
    'metadata.additions.jobs["train_{i}"].command',
    'has `command` already',
  ],
  [{ name: 'x' }, 'metadata.additions.name', 'the file has `name` already'],
])('the additions %j are refused at their place', (additions, path, words) => {
  expect(problems(additions)).toContainEqual([expect.any(String), path, expect.stringContaining(words)]);
});

it('a problem of an added field has the line of its entry', () => {
  const text = 'name: w\nmetadata: {additions: {jobs: {j: {max_running: 0}}}}\njobs:\n  - {name: j, command: "true"}\n';
  expect(readText(text).problems.map(({ code, line }) => [code, line])).toEqual([['LIMIT_REFUSED', 4]]);
});
