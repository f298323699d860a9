import { describe, expect, it, test } from 'vitest';
import { isLoudEnough, logLevelOf, logLine } from './log-line.ts';

const at = '2026-03-01T12:00:00.000Z';

describe('a line of a log', () => {
  it('is the time, the level, the words and what is known, as key=value', () => {
    expect(logLine('info', 'Job started', { job_id: 7, name: 'sum' }, at)).toBe(
      '2026-03-01T12:00:00.000Z INFO Job started job_id=7 name=sum',
    );
  });

  it('is whole without anything known', () => {
    expect(logLine('error', 'It broke', {}, at)).toBe(`${at} ERROR It broke`);
  });

  it('leaves out what has no value, and tells what is null, false or 0', () => {
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
  ])('quotes text only where it could be misread: %j', (value, written) => {
    expect(logLine('info', 'Said', { value }, at)).toBe(`${at} INFO Said value=${written}`);
  });

  it('writes lists and records as JSON, and stays one line', () => {
    const line = logLine('info', 'Said', { ids: [1, 2], record: { text: 'a\nb' } }, at);
    expect(line).toBe(String.raw`${at} INFO Said ids=[1,2] record={"text":"a\nb"}`);
  });
});

describe('a level', () => {
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
  ])('%j means %s', (text, level) => {
    expect(logLevelOf(text)).toBe(level);
  });

  it('lets through itself and what is louder, and nothing below', () => {
    const heard = (['debug', 'info', 'warn', 'error'] as const).filter((level) => isLoudEnough(level, 'warn'));
    expect(heard).toEqual(['warn', 'error']);
  });
});
