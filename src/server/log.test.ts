import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openServerLog, type ServerLog, type LogOptions } from './log.ts';

let folder: string;
let said: string[];
let log: ServerLog;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'torc-log-'));
  said = [];
});
afterEach(() => {
  log.close();
  rmSync(folder, { recursive: true });
});

const open = (options: Partial<LogOptions> = {}) => {
  log = openServerLog({
    folder,
    isJson: false,
    least: 'info',
    now: () => 0,
    say: (line) => said.push(line),
    ...options,
  });
  return log;
};
const read = (name = 'torc-server.log') => readFileSync(join(folder, name), 'utf8');
const MEBIBYTE = 'm'.repeat(2 ** 20);

describe("the server's log", () => {
  it('the log has readable lines, or one JSON object a line', () => {
    open().write('info', 'Server ready', { port: 8080 });
    log.close();
    open({ isJson: true }).write('warn', 'Slow', { ms: 5, path: '/a b', level: 'kept' });
    const [first, second] = read().split('\n');
    expect(first).toBe('1970-01-01T00:00:00.000Z INFO Server ready port=8080');
    expect(JSON.parse(second as string)).toEqual({
      timestamp: '1970-01-01T00:00:00.000Z',
      level: 'WARN',
      fields: { message: 'Slow', ms: 5, path: '/a b', level: 'kept' },
    });
    expect(said).toEqual([]);
  });

  it('without a folder log lines go elsewhere, and less severe ones are left out', () => {
    open({ folder: undefined, least: 'warn' });
    log.write('info', 'Quiet');
    log.write('error', 'Loud');
    expect(said).toEqual(['1970-01-01T00:00:00.000Z ERROR Loud']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('the next server appends to the log', () => {
    open().write('info', 'First');
    log.close();
    open().write('info', 'Second');
    expect(read().match(/First|Second/g)).toEqual(['First', 'Second']);
  });
});

describe('a log file', () => {
  it('a log file is rotated when it would exceed 10 MiB, and not before', () => {
    open();
    for (let count = 0; count < 9; count += 1) log.write('info', MEBIBYTE);
    expect(readdirSync(folder)).toEqual(['torc-server.log']);
    log.write('info', MEBIBYTE);
    expect(readdirSync(folder).sort()).toEqual(['torc-server.log', 'torc-server.log.1']);
    expect(statSync(join(folder, 'torc-server.log.1')).size).toBeLessThanOrEqual(10 * 2 ** 20);
    expect(read().length).toBeLessThan(2 * 2 ** 20);
  });

  it('five log files are kept, and the oldest is deleted', () => {
    for (const age of [1, 2, 3, 4]) writeFileSync(join(folder, `torc-server.log.${age}`), `was ${age}`);
    writeFileSync(join(folder, 'torc-server.log'), MEBIBYTE.repeat(10));
    open().write('info', 'New');
    expect(readdirSync(folder).sort()).toEqual(['', '.1', '.2', '.3', '.4'].map((age) => `torc-server.log${age}`));
    expect([2, 3, 4].map((age) => read(`torc-server.log.${age}`))).toEqual(['was 1', 'was 2', 'was 3']);
    expect(read()).toContain('New');
  });

  // /dev/full is a disk without free space.
  it.skipIf(!existsSync('/dev/full'))('a log file that cannot be written is reported once, and stops nothing', () => {
    symlinkSync('/dev/full', join(folder, 'torc-server.log'));
    open();
    log.write('info', 'Lost');
    log.write('info', 'Lost as well');
    expect(said).toEqual([expect.stringContaining('torc-server.log: ENOSPC')]);
  });

  it('a log whose folder cannot be created is refused when it is opened', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => open({ folder: join(folder, 'file', 'logs') })).toThrow('ENOTDIR');
    open();
  });
});
