import { expect, it } from 'vitest';
import { read, readText } from '../../../../tests/spec/reading.ts';

const problems = (spec: object) =>
  read(spec).problems.map(({ code, severity, path, message, plain }) => [code, severity, path, plain ?? message]);
const jobs = (fields: object) => [{ name: 'j', command: 'true', ...fields }];

it.each(['PT2H', 'PT90S', 'P1DT12H', ' PT5M '])('"%s" is a timeout of a job and of a workflow', (timeout) => {
  expect(problems({ jobs: jobs({ timeout }), execution_config: { timeout } })).toEqual([]);
});

it.each([
  ['2h', '`timeout` must be an ISO 8601 duration, here: PT2H; found "2h"'],
  ['soon', '`timeout` must be an ISO 8601 duration, such as PT5M (5 minutes) or PT2H30M; found "soon"'],
  ['PT0S', 'timeout must be at least a second; found "PT0S"'],
])('the timeout "%s" is refused in a job and in execution_config, with what to write', (timeout, words) => {
  expect(problems({ jobs: jobs({ timeout }), execution_config: { timeout } })).toEqual([
    ['TIMEOUT_REFUSED', 'error', 'execution_config.timeout', words],
    ['TIMEOUT_REFUSED', 'error', 'jobs[0].timeout', words],
  ]);
});

it('a refused timeout is named with its line, and a number with a unit of its own is no text', () => {
  const text =
    'name: w\njobs:\n  - name: j\n    command: "true"\n    timeout: 2h\n  - {name: k, command: "true", timeout: 7}\n';
  expect(readText(text, 'yaml').problems.map(({ line, column, path }) => [line, column, path])).toContainEqual([
    6,
    41,
    'jobs[1].timeout',
  ]);
  expect(readText(text.replace('7', 'PT7S'), 'yaml').problems.map(({ line, code }) => [line, code])).toEqual([
    [5, 'TIMEOUT_REFUSED'],
  ]);
});

it('the timeout of each job of a sweep is looked at, and a month is doubted', () => {
  expect(problems({ jobs: jobs({ name: 'j_{h}', timeout: 'PT{h}H', parameters: { h: '1:3' } }) })).toEqual([]);
  expect(problems({ jobs: jobs({ name: 'j_{h}', timeout: 'PT{h}H', parameters: { h: '[1, x]' } }) })).toMatchObject([
    ['TIMEOUT_REFUSED', 'error', 'jobs[0].timeout', expect.stringContaining('"PTxH"')],
  ]);
  expect(problems({ jobs: jobs({ timeout: 'P5M' }) })).toEqual([
    ['UNIT_DOUBTFUL', 'warning', 'jobs[0].timeout', '`timeout: P5M` means 5 months; write PT5M for minutes'],
  ]);
});

it('only runtime can be what a timeout comes from', () => {
  expect(problems({ jobs: jobs({}), execution_config: { timeout_by: 'runtime' } })).toEqual([]);
  expect(problems({ jobs: jobs({}), execution_config: { timeout_by: 'walltime' } })).toHaveLength(1);
});

it('on_timeout of a job without requirements is refused unless it has a timeout, which is not raised', () => {
  const failure_handlers = [{ name: 'again', on_timeout: { runtime: 'x2' } }];
  const of = (fields: object, more: object = {}) =>
    problems({ failure_handlers, jobs: jobs({ failure_handler: 'again', ...fields }), ...more });
  expect(of({})).toMatchObject([['HANDLER_REFUSED', 'error', 'jobs[0].failure_handler', expect.any(String)]]);
  expect(of({ timeout: 'PT2H' })).toEqual([]);
  expect(of({}, { execution_config: { timeout: 'PT2H' } })).toEqual([]);
});
