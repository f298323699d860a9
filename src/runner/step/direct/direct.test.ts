import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, until } from '../../../../tests/support/programs.ts';
import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import { createDirectSteps } from './direct.ts';
import type { StepEnd } from '../steps.ts';

const jobOf = (command: string): ClaimedJob => ({
  id: 42,
  workflow_id: 7,
  name: 'job',
  command,
  attempt_id: 3,
  need: { num_cpus: 1, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 },
});

/** Steps of real processes, and what was reported of their ends. */
function stepsIn(folder: string, allocation?: { readonly jobId: number }) {
  const facts = {
    workflowId: 7,
    runId: 2,
    apiUrl: '',
    outputDir: folder,
    submissionDirectory: undefined,
    execution: {},
    variables: [['TORC_RUNNER_MARK', `test ${process.pid}`] as const],
  };
  const steps = createDirectSteps({
    facts,
    environment: { ...process.env, ...(allocation && { SLURM_JOB_ID: String(allocation.jobId) }) },
    inside: { allocation },
    log: { write() {}, close() {} },
  });
  const ends: StepEnd[] = [];
  steps.listen((ended) => ends.push(...ended));
  onTestFinished(() => steps.close());
  const start = (command: string) => steps.start(jobOf(command), { need: jobOf('').need, nodes: [], gpus: [] });
  const ended = () =>
    until(
      () => ends.length,
      (count) => count > 0,
      'the step to end',
    );
  return { steps, ends, start, ended };
}

it('a direct step has begun when it is started, and its end has its id, its exit code and its CPU time', async () => {
  const folder = temporaryFolder();
  const { steps, ends, start, ended } = stepsIn(folder);
  const { id, about, begun } = start('echo $TORC_JOB_ID; exit 7');
  expect([id, begun, typeof about['pid']]).toEqual(['wf7_j42_r2_a3', undefined, 'number']);
  await ended();
  expect(ends).toMatchObject([{ id, exitCode: 7, signal: undefined }]);
  expect(steps.account(ends[0] as StepEnd)).toEqual(ends[0]);
  expect(readFileSync(join(folder, 'job_stdio/job_wf7_j42_r2_a3.o'), 'utf8')).toBe('42\n');
});

it.each(['passed on', 'ordered'] as const)(
  'a signal that is passed on reaches the first process of a direct step, and the same one from the runner only once: %s first',
  async (first) => {
    const folder = temporaryFolder();
    const [ready, said] = [join(folder, 'ready'), join(folder, 'said')];
    const { steps, start, ended } = stepsIn(folder);
    // A group gets what is ordered, so the child says so by another file; both have their traps before the first signal.
    const child = `(trap 'echo child >> ${said}-child' TERM; trap '' USR1; touch ${ready}-child; while [ ! -e ${said} ]; do sleep 0.01; done) &`;
    const job = `trap 'echo TERM >> ${said}' TERM; trap 'echo USR1 >> ${said}; wait; exit 5' USR1`;
    const childReady = `while [ ! -e ${ready}-child ]; do sleep 0.01; done`;
    const { id } = start(`${child} ${job}; ${childReady}; touch ${ready}; while :; do sleep 0.01; done`);
    const exists = (path: string) =>
      until(
        () => existsSync(path),
        (is) => is,
        `${path} to be written`,
      );
    await exists(ready);
    if (first === 'passed on') steps.passOn('SIGTERM');
    else steps.signal(id, 'SIGTERM');
    await exists(said);
    if (first === 'passed on') steps.signal(id, 'SIGTERM');
    else steps.passOn('SIGTERM');
    steps.signal(id, 'SIGUSR1');
    await ended();
    expect([readFileSync(said, 'utf8'), existsSync(`${said}-child`)]).toEqual(['TERM\nUSR1\n', first === 'ordered']);
  },
);

it('a signal reaches the processes of a direct step, and none after its end', async () => {
  const folder = temporaryFolder();
  const ready = join(folder, 'ready');
  const { steps, ends, start, ended } = stepsIn(folder);
  const { id } = start(`trap 'exit 5' TERM; touch ${ready}; while :; do sleep 0.01; done`);
  await until(
    () => existsSync(ready),
    (is) => is,
    'the job to be ready',
  );
  steps.signal('wf7_j42_r2_a2', 'SIGKILL');
  steps.signal(id, 'SIGTERM');
  await ended();
  expect(ends).toMatchObject([{ id, exitCode: 5 }]);
  expect(() => steps.signal(id, 'SIGKILL')).not.toThrow();
});

it('the use of a direct step counts all its processes, and killing it reaches those that left its group', async () => {
  const folder = temporaryFolder();
  const child = join(folder, 'child.sh');
  const pidFile = join(folder, 'pid');
  writeFileSync(child, `echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; while :; do sleep 0.05; done`);
  const { steps, start, ended } = stepsIn(folder);
  const { id } = start(`setsid bash ${child} & wait`);
  await until(
    () => existsSync(pidFile),
    (is) => is,
    'the child to be ready',
  );
  const pid = Number(readFileSync(pidFile, 'utf8'));
  const uses = await steps.observe(new Set([id, 'wf7_j1_r2_a1']));
  expect([...uses.keys()]).toEqual([id]);
  expect(uses.get(id)?.processes).toBeGreaterThanOrEqual(2);
  expect(uses.get(id)?.memoryBytes).toBeGreaterThan(0);
  steps.kill(id);
  await ended();
  await until(
    () => isAlive(pid),
    (is) => !is,
    'the child to end',
  );
});

it('a process of another Slurm job that inherited the environment of a step is neither counted nor killed with it', async () => {
  const folder = temporaryFolder();
  const { steps, start, ended } = stepsIn(folder, { jobId: 42 });
  /** It says its id when the shell that started it, its parent, has ended. */
  const daemon = (name: string, how: string) =>
    `(export parent=$BASHPID; ${how} bash -c 'while [ -e /proc/$parent ]; do sleep 0.01; done; echo $$ > ${name}.new; mv ${name}.new ${name}; exec sleep 600' < /dev/null > /dev/null 2>&1 &)`;
  const own = join(folder, 'own');
  const foreign = join(folder, 'foreign');
  const { id } = start(`${daemon(own, 'setsid')}; ${daemon(foreign, 'SLURM_JOB_ID=43 setsid')}; exec sleep 600`);
  await until(
    () => existsSync(own) && existsSync(foreign),
    (is) => is,
    'both processes to begin',
  );
  const [ownPid, foreignPid] = [own, foreign].map((path) => Number(readFileSync(path, 'utf8'))) as [number, number];
  onTestFinished(() => void process.kill(foreignPid, 'SIGKILL'));
  // The program that renamed a file may still be ending.
  await until(
    async () => (await steps.observe(new Set([id]))).get(id)?.processes,
    (count) => count === 2,
    'the job and its own process to be counted',
  );
  steps.kill(id);
  await ended();
  await until(
    () => isAlive(ownPid),
    (is) => !is,
    'the own process to end',
  );
  expect(isAlive(foreignPid)).toBe(true);
});

const isAlive = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};
