import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { slurm } from './slurm.ts';

/** A program that prints this, for a `TORC_FAKE_…` variable. */
function program(lines: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'torc-slurm-')), 'program');
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('the time that is left of an allocation', () => {
  const left = (
    environment: Record<string, string>,
    allocation: { jobId: number; endsAtMs?: number } = { jobId: 42 },
  ) => slurm.open(environment, {}).secondsLeft(allocation);
  const squeue = program('test "$3" = 42 && echo 42\\|1795896740');

  it.each([
    ['ten minutes behind', '1795896140', 600],
    ['ten minutes ahead', '1795896680', 60],
    ['of a year ago', '1764360140', 31_536_600],
  ])('the clock of the controller counts, whatever that of this host says: one that is %s', async (_, now, seconds) => {
    const scontrol = program(`echo "Configuration data as of ${now}"`);
    const found = await left({ TORC_FAKE_SQUEUE: squeue, TORC_FAKE_SCONTROL: scontrol });
    // Less the time of the answer.
    expect(found).toBeLessThanOrEqual(seconds);
    expect(found).toBeGreaterThan(seconds - 20);
  });

  it('where the controller does not give the time, that of this host counts', async () => {
    const end = Math.floor(Date.now() / 1000) + 600;
    const found = await left({ TORC_FAKE_SQUEUE: program(`echo ${end}`), TORC_FAKE_SCONTROL: '/bin/false' });
    expect(Math.abs((found ?? 0) - 600)).toBeLessThan(20);
  });

  it('with a simulated sbatch it is ten days, or what the variables say, and squeue is not called', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'torc-squeue-'));
    const played = {
      TORC_FAKE_SBATCH: '/bin/true',
      TORC_FAKE_SQUEUE: program(`touch ${folder}/asked; echo 1795896740`),
    };
    expect(((await left(played)) ?? 0) / 86_400).toBeCloseTo(10, 2);
    expect(await left(played, { jobId: 42, endsAtMs: Date.now() + 60_000 })).toBeCloseTo(60, -1);
    expect(existsSync(join(folder, 'asked'))).toBe(false);
  });

  it('an error of squeue is reported, and no end is assumed', async () => {
    const unknown = program('echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1');
    await expect(left({ TORC_FAKE_SQUEUE: unknown })).rejects.toThrow('Invalid job id specified');
  });
});

describe('the run of an allocation', () => {
  const runOf = (line: string, restarts: number) =>
    slurm.open({ TORC_FAKE_SCONTROL: program(line) }, {}).runOf({ jobId: 42, restarts });
  const job = (state: string, restarts: number) =>
    `echo "JobId=42 JobState=${state} Restarts=${restarts} SubmitTime=1795896140 StartTime=1795896150 EndTime=1795896740"`;

  it('a runner registers when its allocation was submitted and began, and how often it was requeued, by the clock of Slurm', async () => {
    expect(await runOf(job('RUNNING', 2), 2)).toEqual({
      submittedAtMs: 1_795_896_140_000,
      startedAtMs: 1_795_896_150_000,
      restarts: 2,
    });
  });

  it('an allocation that is being requeued has the times of its next run already: they are not those of this one', async () => {
    expect(await runOf(job('COMPLETING', 1), 0)).toEqual({ restarts: 0 });
    expect(await runOf(job('PENDING', 1), 0)).toEqual({ restarts: 0 });
  });

  it('a runner with variables of another run registers no time', async () => {
    expect(await runOf(job('RUNNING', 1), 0)).toEqual({});
  });

  it('without an answer of Slurm only the number of requeues is known', async () => {
    expect(await runOf('exit 1', 3)).toEqual({ restarts: 3 });
  });
});

test.each([
  ['1795896143', '1795896133', 10],
  ['2026-11-28T20:02:23', '2026-11-28T20:02:13', 10],
])('the age of the controller is the difference of two of its times: %s and %s', async (now, booted, age) => {
  const scontrol = program(`echo "Configuration data as of ${now}"; echo "BOOT_TIME               = ${booted}"`);
  expect(await slurm.open({ TORC_FAKE_SCONTROL: scontrol }, {}).queueAgeSeconds()).toBe(age);
  expect(await slurm.open({ TORC_FAKE_SCONTROL: '/bin/false' }, {}).queueAgeSeconds()).toBeUndefined();
});

const mostTasks = (environment: Record<string, string | undefined>) => slurm.open(environment, {}).mostTasks();

test('there are no job arrays where Slurm does not answer, or another program plays sbatch alone', async () => {
  expect(await mostTasks({ TORC_FAKE_SCONTROL: '/bin/false', PATH: process.env['PATH'] })).toBe(1);
  expect(await mostTasks({ TORC_FAKE_SBATCH: '/bin/true', PATH: process.env['PATH'] })).toBe(1);
});
