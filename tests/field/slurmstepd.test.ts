import { expect, test } from 'vitest';
import { NO_MARK } from '../../src/core/attempt/step-mark.ts';
import { findInLog, findInSlurmLog } from '../../src/core/logs/patterns.ts';
import { stepAccountOf } from '../../src/runner/step/slurm/step-account.ts';

/**
 * What daemons of steps print on the standard error of a job, by release. Newer ones print the time instead of their name, and may say
 * other words. All were printed by a private cluster, with `JobAcctGatherParams=OverMemoryKill`, or are in the program's file (`strings`).
 */

const OVER_MEMORY: readonly (readonly [string, string])[] = [
  // 22.05.8: srun --mem=100M of a step that takes 300 MB
  ['22.05.8', 'slurmstepd-n1: error: StepId=7.1 exceeded memory limit (323026944 > 104857600), being killed'],
  // 26.05.3: the same
  [
    '26.05.3',
    '[2026-11-28T19:29:54.425] error: StepId=62.3 exceeded memory limit (323231744 > 104857600), being killed',
  ],
];

test.each(OVER_MEMORY)('a step that took too much memory failed for that, by the words of %s', (_, line) => {
  const killed = {
    srun: { exitCode: 137, signal: undefined },
    mark: { ...NO_MARK, began: true },
    row: undefined,
    lastWords: `its output\n${line}\nsrun: error: n1: task 0: Killed\n`,
  };
  expect(stepAccountOf(killed)).toMatchObject({ endedBy: 'memory' });
  expect(
    stepAccountOf({ ...killed, lastWords: 'its output\nsrun: error: n1: task 0: Killed\n' }).endedBy,
  ).toBeUndefined();
});

/** The line, what `slurm parse-logs` says of it, and `logs analyze`. */
const LABELS: readonly (readonly [string, string, string])[] = [
  [OVER_MEMORY[0]?.[1] ?? '', 'Exceeded job memory limit', 'Slurm Error'],
  [OVER_MEMORY[1]?.[1] ?? '', 'Exceeded job memory limit', 'OOM Killed'],
  // 26.05.3: sbatch --mem=100M of a script that takes 300 MB
  ['[2026-11-28T19:32:55.028] error: Exceeded job memory limit', 'Exceeded job memory limit', 'Generic Error'],
  // task_cgroup.so of 22.05.8 and of 26.05.3
  ['slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.0.', 'OOM killer terminated process', 'Slurm Error'],
  [
    '[2026-11-28T19:32:55.028] error: Detected 1 oom_kill event in StepId=7.0. Some of the step tasks have been OOM Killed.',
    'OOM killer terminated process',
    'OOM Killed',
  ],
  // 26.05.3: srun --time=1
  [
    '[2026-11-28T19:34:05.009] error: *** STEP 99.0 ON n1 CANCELLED AT 2026-11-28T19:34:05 DUE TO TIME LIMIT ***',
    'Job terminated due to time limit',
    'Slurm Error',
  ],
  // 26.05.3: scancel
  [
    '[2026-11-28T19:45:28.120] error: *** STEP 26.0 ON n1 CANCELLED AT 2026-11-28T19:45:28 DUE to SIGNAL Killed ***',
    'Job was cancelled',
    'Slurm Error',
  ],
];

test.each(LABELS)('%s', (line, ofSlurm, ofAny) => {
  expect([findInSlurmLog(line, false)?.label, findInLog(line)?.label]).toEqual([ofSlurm, ofAny]);
});
