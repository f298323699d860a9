import { describe, expect, it, test } from 'vitest';
import { isLoudEnough, logLevelOf, logLine } from './log-line.ts';

const at = '2026-03-01T12:00:00.000Z';

describe('a line of a log', () => {
  it('a log line has the time, the level, the message and the fields as key=value', () => {
    expect(logLine('info', 'Job started', { job_id: 7, name: 'sum' }, at)).toBe(
      '2026-03-01T12:00:00.000Z INFO Job started job_id=7 name=sum',
    );
  });

  it('a log line without fields is complete', () => {
    expect(logLine('error', 'It broke', {}, at)).toBe(`${at} ERROR It broke`);
  });

  it('a log line leaves out undefined fields, and writes null, false and 0', () => {
    expect(logLine('info', 'Said', { none: undefined, nothing: null, no: false, zero: 0 }, at)).toBe(
      `${at} INFO Said nothing=null no=false zero=0`,
    );
  });

  it.each([
    ['two words', '"two words"'],
    ['a=b', '"a=b"'],
    ['say "hi"', String.raw`"say \"hi\""`],
    ['one\ntwo', String.raw`"one\ntwo"`],
    ['/path/to:file', '/path/to:file'],
  ])('a log line quotes text only where it could be misread: %j', (value, written) => {
    expect(logLine('info', 'Said', { value }, at)).toBe(`${at} INFO Said value=${written}`);
  });

  it('a log line contains lists and records as JSON, in one line', () => {
    const line = logLine('info', 'Said', { ids: [1, 2], record: { text: 'a\nb' } }, at);
    expect(line).toBe(String.raw`${at} INFO Said ids=[1,2] record={"text":"a\nb"}`);
  });
});

describe('a log level', () => {
  test.each([
    ['debug', 'debug'],
    ['INFO', 'info'],
    ['Warn', 'warn'],
    ['warning', 'warn'],
    ['error', 'error'],
    ['trace', 'debug'],
    ['torc=debug,hyper=off', 'info'],
    ['', 'info'],
    [undefined, 'info'],
  ])('the level %j means %s', (text, level) => {
    expect(logLevelOf(text)).toBe(level);
  });

  it('a log writes lines of its level and of more severe levels, and no others', () => {
    const heard = (['debug', 'info', 'warn', 'error'] as const).filter((level) => isLoudEnough(level, 'warn'));
    expect(heard).toEqual(['warn', 'error']);
  });
});
