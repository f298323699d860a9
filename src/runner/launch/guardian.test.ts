import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, until } from '../../../tests/support/programs.ts';

/** A runner in allocation 7 that starts a job, which leaves its session, and then what follows. */
async function runnerThat(then: string, { job = 'exec sleep 600' } = {}) {
  const mark = randomUUID();
  const program = `
    import { spawn } from 'node:child_process';
    import { startGuardian } from ${JSON.stringify(new URL('guardian.ts', import.meta.url).href)};
    const guardian = startGuardian({ mark: ${JSON.stringify(mark)}, allocationId: '7' });
    const job = (allocationId) => spawn('bash', ['-c', ${JSON.stringify(job)}], {
      detached: true, stdio: 'ignore', env: { ...process.env, TORC_RUNNER_MARK: ${JSON.stringify(mark)}, SLURM_JOB_ID: allocationId },
    }).pid;
    console.log(JSON.stringify([job('7'), job('8')]));
    ${then}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const [own, other] = JSON.parse(text.toString()) as [number, number];
  onTestFinished(() => {
    // Their groups: a job may have started more.
    spawnSync('bash', ['-c', `kill -KILL -- -${own} -${other}`]);
  });
  return { child, own, other };
}

const isThere = (pid: number) => existsSync(`/proc/${pid}/stat`) && isAlive(pid);
const pidsOf = (parent: number) =>
  readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
const isAlive = (pid: number) => spawnSync('bash', ['-c', `grep -q ') [ZX] ' /proc/${pid}/stat`]).status !== 0;

describe.skipIf(process.platform !== 'linux')('the guardian of a runner in an allocation', () => {
  it('processes of the jobs end when the runner is killed, also in another session, and those of other allocations stay', async () => {
    const { child, own, other } = await runnerThat('setInterval(() => {}, 1000);');
    child.kill('SIGKILL');
    await until(
      () => isThere(own),
      (is) => !is,
      'the job to end',
    );
    expect(isThere(other)).toBe(true);
  });

  it('a process of a job sees no other one die before it, so it cannot go on as if that had ended', async () => {
    const file = `${temporaryFolder()}/went-on`;
    const watcher = `(while read -r line < /proc/$!/stat && [[ $line != *') '[ZX]' '* ]]; do :; done; echo x >> ${file})`;
    const job = `sleep 600 & for i in 1 2 3 4; do ${watcher} & done; wait`;
    const { child, own } = await runnerThat('setInterval(() => {}, 1000);', { job });
    const children = () => pidsOf(own);
    await until(children, (pids) => pids.length === 5, 'the processes of the job');
    const all = [own, ...children()];
    child.kill('SIGKILL');
    await until(
      () => all.filter(isThere),
      (pids) => pids.length === 0,
      'the job to end',
    );
    expect(existsSync(file)).toBe(false);
  });

  it('nothing is ended after a runner that ends by itself', async () => {
    const { child, own, other } = await runnerThat('guardian.dismiss(); setTimeout(() => process.exit(0), 100);');
    if (child.exitCode === null) await once(child, 'exit');
    expect([isThere(own), isThere(other)]).toEqual([true, true]);
  });
});
