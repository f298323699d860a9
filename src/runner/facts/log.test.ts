import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { type Log, openRunnerLog } from './log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const at = () => Date.parse('2026-03-01T12:00:00.250Z');
const opened = (least: Parameters<typeof openRunnerLog>[1] = 'info') => {
  const path = join(temporaryFolder(), 'deep', 'runner.log');
  const echoed: string[] = [];
  const log = openRunnerLog(path, least, at, (line) => echoed.push(line));
  return { path, log, echoed, text: () => readFileSync(path, 'utf8') };
};

describe('the log of a runner', () => {
  it('a log line has the time, the level, the message and the known fields', () => {
    const { log, text } = opened();
    log.write('info', 'Job started', { job_id: 42, job_name: 'a b', reason: undefined });
    log.close();
    expect(text()).toBe('2026-03-01T12:00:00.250Z INFO Job started job_id=42 job_name="a b"\n');
  });

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ] as const)('a log line less severe than %s is left out', (least, written) => {
    const { log, text } = opened(least);
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log.write(level, level);
    log.close();
    const words = text().trimEnd().split('\n');
    expect(words.map((line) => line.split(' ').at(-1))).toEqual(written);
  });

  it('warnings and errors are echoed in readable form, and other lines are not', () => {
    const { log, echoed } = opened();
    log.write('info', 'Job started', { job_id: 1 });
    log.write('warn', 'Server does not answer', { reason: 'refused', status: undefined });
    log.write('error', 'Jobs cannot be started here');
    expect(echoed).toEqual(['warning: Server does not answer (reason=refused)', 'Error: Jobs cannot be started here']);
    log.close();
  });

  it("a line below the log's level is not echoed", () => {
    const { log, echoed } = opened('error');
    log.write('warn', 'Server does not answer');
    expect(echoed).toEqual([]);
    log.close();
  });
});

describe('lines are written to the file', () => {
  it.each<[string, (log: Log) => void]>([
    ['within a fifth of a second', () => void vi.advanceTimersByTime(200)],
    ['when the log is closed', (log) => log.close()],
    ['at once when there are many', (log) => void Array.from({ length: 254 }, () => log.write('info', 'more'))],
  ])('lines are written %s, in order, and not before', (_, then) => {
    const { log, text } = opened();
    log.write('info', 'first');
    log.write('info', 'second');
    expect(text()).toBe('');
    then(log);
    expect(text()).toMatch(/^\S+ INFO first\n\S+ INFO second\n/);
    if (vi.getTimerCount() > 0) log.close();
  });

  it('a log without lines wakes the program for nothing', () => {
    const { log, text } = opened();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(60_000);
    log.close();
    expect(text()).toBe('');
  });

  it('lines are appended to an earlier log of the same name', () => {
    const { path, log, text } = opened();
    log.write('info', 'first');
    log.close();
    const again = openRunnerLog(path, 'info', at, () => {});
    again.write('info', 'second');
    again.close();
    expect(text()).toMatch(/first\n.*second\n$/);
  });
});

it.skipIf(!existsSync('/dev/full'))('a full disk is reported to the user, and ends nothing', () => {
  const echoed: string[] = [];
  const log = openRunnerLog('/dev/full', 'info', at, (line) => echoed.push(line));
  log.write('info', 'first');
  log.close();
  expect(echoed).toEqual([expect.stringMatching(/^cannot write the runner's log \/dev\/full: ENOSPC/)]);
});
