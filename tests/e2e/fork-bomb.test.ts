import { spawn, spawnSync } from 'node:child_process';
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/programs.ts';

/** A user of this test alone: the limit counts all processes and threads of a user, and binds all but root. */
const USER = 54_321;
/** Enough for the runner, its server and what starts jobs, and for some tens of processes more. */
const MOST_PROCESSES = 140;
const TORC = resolve(import.meta.dirname, '../../bin/torc.mjs');
const asUser = { uid: USER, gid: USER };
/** Only root can be another user, who has to be able to read this checkout. */
const isReachable =
  process.getuid?.() === 0 && spawnSync(process.execPath, [TORC, '--version'], { cwd: '/', ...asUser }).status === 0;

it.skipIf(!isReachable)(
  'a job that takes all processes of its user ends as it ends, and its runner and server go on (needs root, who is another user then)',
  { timeout: 120_000 },
  async () => {
    const cwd = temporaryFolder();
    chownSync(cwd, USER, USER);
    writeFileSync(
      join(cwd, 'flow.yaml'),
      `name: bomb
jobs:
  - {name: bomb, command: "for i in $(seq 200); do sleep 5 & done; exit 3"}
  - {name: after, command: "echo ran > after", depends_on: [bomb], cancel_on_blocking_job_failure: false}
`,
    );
    const child = spawn(
      'bash',
      ['-c', `ulimit -u ${MOST_PROCESSES}; exec "$@"`, 'torc', process.execPath, TORC, '-s', 'run', 'flow.yaml'],
      { cwd, env: { ...process.env, HOME: cwd, USER: 'bomber' }, stdio: ['ignore', 'pipe', 'pipe'], ...asUser },
    );
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += String(text)));
    const [code, signal] = await new Promise<[number | null, string | null]>((done) =>
      child.on('close', (...end) => done(end)),
    );
    // 254: a bash that cannot start a process is interrupted by the end of another one.
    expect([code, signal, said]).toEqual([
      0,
      null,
      expect.stringMatching(/bomb \(job 1\) failed with exit code (3|254) /),
    ]);
    // The bomb went off: bash says so when it has to wait for a process.
    expect(readFileSync(join(cwd, 'torc_output/job_stdio/job_wf1_j1_r1_a1.e'), 'utf8')).toContain(
      'Resource temporarily unavailable',
    );
    expect(readFileSync(join(cwd, 'after'), 'utf8')).toBe('ran\n');
  },
);
