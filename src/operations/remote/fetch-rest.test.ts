import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { endedSsh } from '../../../tests/support/ssh-outcome.ts';
import type { SshOutcome } from '../../cluster/ssh/log-in.ts';
import type { Ssh } from '../../cluster/ssh/ssh.ts';
import { type Worker, workerOf } from '../../core/remote/worker-line.ts';
import { fetchRest } from './fetch-rest.ts';

const worker = workerOf('h1 --work-dir ~/runs') as Worker;

/** Fetches an archive of six bytes into a part; the host prints these pieces. */
async function fetched(part: string, pieces: readonly string[], outcome: Partial<SshOutcome> = {}) {
  let args: readonly string[] = [];
  const ssh: Ssh = {
    async run(_, call) {
      args = call.args;
      await Promise.resolve();
      for (const piece of pieces) call.onBytes?.(Buffer.from(piece));
      return endedSsh(outcome);
    },
    close: () => Promise.resolve(),
  };
  return { failed: await fetchRest(worker, { path: 'out/.pack', size: 6 }, part, { ssh }), args };
}

describe('an archive of logs that is fetched', () => {
  it('an archive of logs that is fetched is continued behind its first part, and has as many bytes as the host said', async () => {
    const part = join(temporaryFolder(), 'part');
    writeFileSync(part, 'ab');
    const { failed, args } = await fetched(part, ['cd', 'efBye', 'Bye']);
    expect([failed, readFileSync(part, 'utf8'), args]).toEqual([undefined, 'abcdef', ['out/.pack', '~/runs', '3']]);
  });

  it('an archive of logs that arrives in part stays, and its host is named with how to go on', async () => {
    const part = join(temporaryFolder(), 'part');
    const { failed } = await fetched(part, ['abc'], { code: 255, stderr: 'Connection closed' });
    const message = '3 of 6 bytes arrived (Connection closed); collect again to continue';
    expect([failed, readFileSync(part, 'utf8')]).toEqual([{ code: 'CUT', message }, 'abc']);
  });

  it('an archive of logs for which the disk here has no space is named with the reason', async () => {
    const part = join(temporaryFolder(), 'part');
    symlinkSync('/dev/full', part);
    const { failed } = await fetched(part, ['abcdef']);
    expect(failed).toMatchObject({
      code: 'CUT',
      message: expect.stringContaining('cannot be written: ENOSPC') as string,
    });
  });

  it('an archive of logs on a host that runs something else now is named with that', async () => {
    const part = join(temporaryFolder(), 'part');
    expect((await fetched(part, [], { hasBegun: false })).failed).toMatchObject({ code: 'LOGIN_SHELL' });
  });
});
