import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { torc } from '../support/programs.ts';
import { makeReadOnly, noSmallDisk, smallDisk } from '../support/small-disk.ts';

/** A finished workflow on a medium that cannot be written. Passed over where none can be mounted. */

describe.skipIf(noSmallDisk)('a workflow on a read-only medium', () => {
  it('a workflow on a read-only medium is read by every command that reads, and one that changes it is refused with what to do', async () => {
    const cwd = smallDisk(4);
    writeFileSync(
      join(cwd, 'w.yaml'),
      'name: w\njobs:\n  - {name: a, command: echo hi}\n  - {name: b, command: exit 3}\n',
    );
    expect((await torc(['-s', 'run', 'w.yaml'], { cwd })).code).toBe(0);
    makeReadOnly(cwd);
    const environment = { TMPDIR: join(cwd, '..') };
    const call = (...words: string[]) => torc(['-s', ...words], { cwd, environment });
    const status = await call('status', '1');
    expect([status.code, status.stdout]).toEqual([0, expect.stringContaining('1 completed, 1 failed')]);
    expect(status.stderr).toContain('torc.db is on a read-only file system: this is a copy of it');
    expect((await call('jobs', 'explain', 'b', '-w', '1')).stdout).toContain('the command itself ended with 3');
    expect((await call('-f', 'json', 'workflows', 'list')).stdout).toContain('"name": "w"');
    for (const words of [
      ['workflows', 'archive', 'true', '1'],
      ['run', '1', '--retry-failed'],
    ]) {
      const { code, stderr } = await call(...words);
      expect([words[0], code, stderr]).toEqual([words[0], 1, expect.stringContaining('name the copy with --db')]);
    }
    expect(readdirSync(join(cwd, '..')).filter((name) => name.startsWith('torc-read-'))).toEqual([]);
  });

  it('without room for the copy a command says so, and leaves nothing', async () => {
    const cwd = smallDisk(4);
    writeFileSync(join(cwd, 'w.yaml'), 'name: w\njobs:\n  - {name: a, command: echo hi}\n');
    await torc(['-s', 'run', 'w.yaml'], { cwd });
    makeReadOnly(cwd);
    const small = smallDisk(1);
    writeFileSync(join(small, 'filler'), Buffer.alloc(900 * 1024));
    const { code, stderr } = await torc(['-s', 'status', '1'], { cwd, environment: { TMPDIR: small } });
    expect([code, stderr]).toEqual([1, expect.stringContaining('set TMPDIR to a folder with more room')]);
    expect(readdirSync(small)).toEqual(['filler']);
  });
});
