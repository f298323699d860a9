import { spawn } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Jobs, jobsOf, noPosix, printedInRunner } from '../../../tests/support/launching.ts';
import { until } from '../../../tests/support/programs.ts';
import type { LaunchError } from './launcher.ts';
import { readProcesses } from '../../../tests/support/processes.ts';

const MEBIBYTE = 2 ** 20;
/** `times` rounds each of its four figures to the next millisecond. */
const ROUNDED_SECONDS = 0.004;
/** Uses CPU time in user and system mode. */
const BURN = 'for ((i = 0; i < 20000; i++)); do : </dev/null; done';

let jobs: Jobs;
beforeAll(() => {
  if (noPosix === undefined) jobs = jobsOf('posix_spawn', { PATH: process.env['PATH'] });
});
beforeEach(({ skip }) => {
  if (noPosix !== undefined) skip(noPosix);
});
afterAll(() => jobs?.launcher.close());

/** Seconds that `times` prints: user and system time of the shell, then of the children that it waited for. */
const secondsOf = (times: string) =>
  [...times.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest),
    0,
  );

describe('the CPU time of a job', () => {
  it.each([
    ['its own', BURN],
    ['that of processes that it waited for', `(${BURN}); true`],
  ])('the CPU time of a job includes %s', async (_, burn) => {
    const { stdout, cpuSeconds } = await jobs.run(`${burn}; times`);
    expect(secondsOf(stdout)).toBeGreaterThan(0.01);
    expect(cpuSeconds).toBeGreaterThanOrEqual(secondsOf(stdout) - ROUNDED_SECONDS);
    expect(cpuSeconds).toBeLessThan(secondsOf(stdout) + 0.5);
  });

  it('the CPU time of a job excludes that of the job before', async () => {
    const { cpuSeconds: busy = 0 } = await jobs.run(BURN);
    const { cpuSeconds: idle = Infinity } = await jobs.run(':');
    expect(idle).toBeLessThan(busy);
  });
});

describe('the peak memory of a job', () => {
  const runnersPeak = () => process.resourceUsage().maxRSS * 1024;

  it('the peak memory of a job is reported if it exceeds that of the runner', async () => {
    // One read gives at most 2 GiB less a page, however large its buffer is.
    const bytes = runnersPeak() + 64 * MEBIBYTE;
    const { peakBytes } = await jobs.run(`dd if=/dev/zero of=/dev/null bs=${bytes} count=1 iflag=fullblock`);
    expect(peakBytes).toBeGreaterThanOrEqual(bytes);
    expect(peakBytes).toBeLessThan(bytes + 64 * MEBIBYTE);
  });

  it('the peak memory of a job is unknown if it does not exceed that of the runner, also while that grows', async () => {
    await jobs.run(':');
    const grown = Buffer.alloc(64 * MEBIBYTE, 1);
    expect(await jobs.run(':')).toMatchObject({ exitCode: 0, peakBytes: undefined });
    expect(grown).toHaveLength(64 * MEBIBYTE);
  });
});

it.each([0, 1, 2, 3])('variables that do not fit are refused and never cut, wherever the space ends (%i)', (pad) => {
  const many = Array.from({ length: 64 }, (_, index) => [`BIG${index}`, 'ä'.repeat(60_000)] as const);
  const refused = expect.objectContaining({ code: 'E2BIG' }) as LaunchError;
  expect(() => jobs.launch({ variables: [['PAD', 'x'.repeat(pad)], ...many] })).toThrow(refused);
});

it('a job that ends by a signal without a name reports its number', async () => {
  expect(await jobs.run('kill -34 $$')).toMatchObject({ exitCode: undefined, signal: 34 });
});

it('a child that the runtime started and waits for hides no end of a job, and no job that of such a child', async () => {
  const children: Promise<number | null>[] = [];
  const launched = Array.from({ length: 50 }, (_, index) => {
    const child = spawn('/bin/bash', ['-c', `exit ${index}`], { stdio: 'ignore' });
    children.push(new Promise((resolve) => void child.once('exit', resolve)));
    return jobs.launch({ script: `exit ${index + 100}` });
  });
  const expected = Array.from({ length: 50 }, (_, index) => index);
  expect((await Promise.all(launched.map(({ ended }) => ended))).map(({ exitCode }) => exitCode)).toEqual(
    expected.map((code) => code + 100),
  );
  expect(await Promise.all(children)).toEqual(expected);
});

it('an ended process that the runtime waits for never, as the first process of a container has them, hides no end of a job', async () => {
  const others = jobsOf('posix_spawn', { PATH: process.env['PATH'] });
  others.launcher.close();
  const { pid } = others.launch({ script: ':' });
  const state = async () => readProcesses().find((each) => each.pid === pid)?.state;
  await until(state, (found) => found === 'Z', 'the process to end');
  const launched = [1, 2, 3].map((code) => jobs.launch({ script: `exit ${code}` }));
  expect((await Promise.all(launched.map(({ ended }) => ended))).map(({ exitCode }) => exitCode)).toEqual([1, 2, 3]);
});

it('a job has no file open that the runner inherited, whatever its number', async () => {
  const printed = await printedInRunner('exec 40</dev/full', 'posix_spawn', 'ls -l /proc/$$/fd; exit 0');
  expect(printed).toContain('/dev/null');
  expect(printed).not.toContain('/dev/full');
});

it.each([
  ['the limit of open files that it was given', { openFilesLimit: 512 }, '512\n'],
  ["the runner's limit if that is lower", { openFilesLimit: 4096 }, '1024\n'],
  ["the runner's limit if it was given none", {}, '1024\n'],
])('a job has %s', async (_, options, limit) => {
  expect(await printedInRunner('ulimit -n 1024', 'posix_spawn', 'ulimit -Sn', options)).toBe(limit);
});
