import { endedSsh } from '../../../tests/support/ssh-outcome.ts';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../client/client.ts';
import type { SshOutcome } from '../../cluster/ssh/log-in.ts';
import type { Ssh } from '../../cluster/ssh/ssh.ts';
import { hostLine, type HostReply } from '../../core/remote/remote-host.ts';
import { type Worker, workerOf } from '../../core/remote/worker-line.ts';
import { startWorkers } from './start-workers.ts';

const NOW = 1_700_000_000_000;
const STARTED: HostReply = {
  is: 'started',
  pid: 7,
  started_at: '2026-01-01T00:00:00Z',
  log: 'log',
  compute_node_id: 3,
  num_cpus: 2,
  memory_gb: 4,
  num_gpus: 0,
};

/** Starts on one host, whose ssh ends so after a time. */
async function startOn({ outcome, tookMs = 10, url = 'http://server:8080/torc-service/v1' }: Given) {
  let now = NOW;
  const ssh: Ssh = {
    run(_, call) {
      call.request?.onSent();
      now += tookMs;
      return Promise.resolve(outcome);
    },
    close: () => Promise.resolve(),
  };
  const client = { getWorkflow: () => Promise.resolve({ name: 'flow', timestamp: 't' }) } as unknown as Client;
  const [started] = await startWorkers([workerOf('h1 --num-cpus 2') as Worker], {
    client,
    ssh,
    service: { url, user: 'me', insecure: false },
    workflowId: 1,
    outputDir: 'out',
    runner: { log_level: 'info' },
    umask: '077',
    skipVersionCheck: false,
    atOnce: 10,
    now: () => now,
    onDone: () => {},
  });
  return started;
}

interface Given {
  readonly outcome: SshOutcome;
  readonly tookMs?: number;
  readonly url?: string;
}

const said = (reply: HostReply, aheadMs = 0) =>
  endedSsh({
    stdout: `Welcome to h1!\n${hostLine({ version: '1', hostname: 'h1', now_ms: NOW + aheadMs, reply })}`,
  });

describe('the start of a runner on a host', () => {
  it('the start of a runner on a host is shown with what the runner offers, also if the shell there prints text of its own', async () => {
    expect(await startOn({ outcome: said(STARTED) })).toMatchObject({ is: 'started', pid: 7, cpus: 2, nodeId: 3 });
  });

  it('a clock that is certainly off is reported, and one that may only seem off is not', async () => {
    const ahead = await startOn({ outcome: said(STARTED, 10_000) });
    expect(ahead?.clockAheadSeconds).toBeCloseTo(10, 0);
    const behind = await startOn({ outcome: said(STARTED, -10_000) });
    expect(behind?.clockAheadSeconds).toBeCloseTo(-10, 0);
    expect(await startOn({ outcome: said(STARTED, 1_000) })).not.toHaveProperty('clockAheadSeconds');
    // The answer took so long that the clock may be right.
    expect(await startOn({ outcome: said(STARTED, 10_000), tookMs: 30_000 })).not.toHaveProperty('clockAheadSeconds');
  });

  it('a server on localhost that the host does not reach is reported with the address that would do', async () => {
    const refused: HostReply = { is: 'refused', code: 'SERVER_UNREACHABLE', message: 'no reply' };
    const here = await startOn({ outcome: said(refused), url: 'http://localhost:8080/torc-service/v1' });
    expect(here?.message).toContain('start the server with --host 0.0.0.0 and use --url http://');
    expect((await startOn({ outcome: said(refused) }))?.message).toBe('no reply');
  });

  it.each([
    [
      endedSsh({ hasBegun: false, code: 255, stderr: 'ssh: connect to host h1 port 22: Connection refused' }),
      'UNREACHABLE',
      'is the host up',
    ],
    [
      endedSsh({ hasBegun: false, code: 255, logins: 6, stderr: 'Connection reset by 10.0.0.1 port 22' }),
      'TOO_MANY_LOGINS',
      'Connection reset by 10.0.0.1 port 22 (6 times): its ssh server refuses logins that come at the same time (MaxStartups',
    ],
    [
      endedSsh({ hasBegun: false, code: 0, stdout: '' }),
      'LOGIN_SHELL',
      'the login shell of h1 runs something else: see its ~/.bashrc',
    ],
    [
      endedSsh({ hasBegun: false, code: 1, stdout: 'This account is not available.\n' }),
      'LOGIN_SHELL',
      'It printed "This account is not available."',
    ],
    // Words of a login shell that ended with the code of a script of ours.
    [endedSsh({ hasBegun: false, code: 127, stderr: 'zsh: not found' }), 'LOGIN_SHELL', 'It printed "zsh: not found"'],
    [endedSsh({ hasBegun: false, isLate: true, code: null }), 'TIMEOUT', 'the login shell of h1 ran nothing in time'],
    [endedSsh({ code: 90 }), 'CUT', 'the connection was lost before anything was done'],
    [endedSsh({ code: 255 }), 'UNREACHABLE', 'the connection was lost'],
    [endedSsh({ isLate: true, code: null, signal: 'SIGKILL' }), 'TIMEOUT', 'no answer within'],
    [
      endedSsh({ code: 92, stderr: 'mkdir: No space left on device' }),
      'FOLDER',
      'cannot write into out: mkdir: No space',
    ],
    [endedSsh({ code: 127 }), 'NO_TORC', 'not on the PATH'],
    [endedSsh({ code: 0, stdout: 'torc 0.0.1\n' }), 'VERSION', 'Version mismatch'],
    [endedSsh({ code: 0, stdout: 'torc needs Node 24.15\n' }), 'NO_ANSWER', 'torc needs Node'],
  ])('a silent host is reported with the reason: %#', async (outcome, code, words) => {
    const started = await startOn({ outcome });
    expect([started?.is, started?.code]).toEqual(['failed', code]);
    expect(started?.message).toContain(words);
  });
});
