import { describe, expect, it } from 'vitest';
import { runToEnd } from './exec.ts';

const run = (script: string, options: Partial<Parameters<typeof runToEnd>[2]>) =>
  runToEnd('sh', ['-c', script], { atMostMs: 60_000, ...options });

describe('a program that is answered', () => {
  it('a program that is answered reads what its output asked for, and ends with its input', async () => {
    let text = '';
    const { code, stdout } = await run('echo name; read name; echo "hello $name"; cat', {
      onOutput(bytes, input) {
        text += bytes.toString();
        if (text === 'name\n') input.write('Ann\n');
        if (text.includes('hello')) input.end();
      },
    });
    expect([code, stdout, text]).toEqual([0, '', 'name\nhello Ann\n']);
  });

  it('an error of who reads the output of a program ends it, and is thrown', async () => {
    const onOutput = () => {
      throw new Error('no space left');
    };
    await expect(run('echo one; exec sleep 1000', { onOutput })).rejects.toThrow('no space left');
  });

  it('a program that is waited for no longer is ended as at its time limit', async () => {
    const ends = new AbortController();
    const outcome = run('echo one; exec sleep 1000', { onOutput: () => ends.abort(), ends: ends.signal });
    expect(await outcome).toMatchObject({ isLate: true, signal: 'SIGKILL' });
  });
});
