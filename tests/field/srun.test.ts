import { expect, test } from 'vitest';
import { NO_MARK } from '../../src/core/attempt/step-mark.ts';
import { stepAccountOf } from '../../src/runner/step/slurm/step-account.ts';

/** What `srun` prints, and ends with, by release: of steps that never begin, and of those that are lost with their node. */

/** Release and command, exit code, standard error, and the reason for which the job was not started. */
const REFUSED: readonly (readonly [string, number, string, string])[] = [
  [
    '22.05.8: srun --exact -n1 --mem=9000M in a job of 1000 MB',
    1,
    'srun: error: Unable to create step for job 7: Memory required by task is not available\n',
    'srun: error: Unable to create step for job 7: Memory required by task is not available',
  ],
  [
    '26.05.3: the same',
    1,
    'srun: error: Unable to create step for job 62: Memory required by task is not available\n',
    'srun: error: Unable to create step for job 62: Memory required by task is not available',
  ],
  [
    '22.05.8: srun --exact -n1 -c8 in a job of 4 CPUs',
    1,
    'srun: error: Unable to create step for job 7: More processors requested than permitted\n',
    'srun: error: Unable to create step for job 7: More processors requested than permitted',
  ],
  [
    '26.05.3: the same, which waits until SIGTERM',
    1,
    'srun: error: Unable to create step for job 16: Job/step already completing or completed\n',
    'srun: error: Unable to create step for job 16: Job/step already completing or completed',
  ],
  [
    '26.05.3: the same, of a job that was submitted with -c4',
    1,
    "srun: Job step's --cpus-per-task value exceeds that of job (8 > 4). Job step may never run.\nsrun: Cancelled pending job step with signal 15\nsrun: error: Unable to create step for job 1: Job/step already completing or completed\n",
    'srun: error: Unable to create step for job 1: Job/step already completing or completed',
  ],
];

test.each(REFUSED)('%s', (_, exitCode, lastWords, refused) => {
  const srun = { exitCode, signal: undefined };
  expect(stepAccountOf({ srun, mark: NO_MARK, row: undefined, lastWords }).refused).toBe(refused);
});

/** `scontrol update NodeName=n3 State=DOWN` while a step runs on n3: release, exit code and standard error. */
const LOST: readonly (readonly [string, number, string])[] = [
  ['22.05.8', 0, 'srun: error: Node failure on n3\n'],
  ['26.05.3', 1, 'srun: error: Node failure on n3\nsrun: Job step aborted\n'],
];

test.each(LOST)('a step whose node fails ended for that, as srun of %s ends with %i', (_, exitCode, lastWords) => {
  const end = stepAccountOf({
    srun: { exitCode, signal: undefined },
    mark: { ...NO_MARK, began: true },
    row: undefined,
    lastWords,
  });
  expect(end).toMatchObject({ endedBy: 'node', cause: 'Slurm: its node failed' });
});
