import { NO_MARK } from '../../../src/core/attempt/step-mark.ts';
import { HelperFailed } from '../../../src/cluster/helper-failed.ts';
import { signalSteps } from '../../../src/cluster/slurm/scancel.ts';
import { stepAccountOf } from '../../../src/runner/step/slurm/step-account.ts';
import { type Answers, BANNER, MANY } from './answer.ts';

/** Programs whose words are read on standard error, where they failed. */

const OVER = 'scancel: error: Kill job error on job step id 36.0: Invalid job id specified\n';
const ENDING = 'scancel: error: Kill job error on job step id 36.1: Job/step already completing or completed\n';
const AWAY = 'scancel: error: slurm_kill_job2() failed Unable to contact slurm controller (connect failure)\n';
const failed = { refused: 'scancel failed' };

/** scancel -s TERM 36.0, with exit code 1 */
export const scancelSteps: Answers = {
  program: 'scancel',
  question: 'whether steps got a signal',
  read: (stderr) =>
    signalSteps(() => Promise.reject(new HelperFailed('scancel failed', { stderr })), ['36.0'], 'SIGTERM'),
  rows: {
    old: ['20.11', OVER, undefined],
    current: ['22.05.8', OVER + ENDING, undefined],
    newest: ['26.05.3', ENDING, undefined],
    nothing: ['a wrapper that ends with 1', '', failed],
    'an error on stdout': ['the controller is away, and a step is over', OVER + AWAY, failed],
    'a banner before it': ['a shell of the site', BANNER + OVER, undefined],
    'too much': ['all steps of a day', OVER.repeat(MANY), undefined],
    'cut off': ['it was killed', OVER + ENDING.slice(0, 40), failed],
  },
};

const NO_MEMORY = 'srun: error: Unable to create step for job 36: Memory required by task is not available\n';
const WHY = NO_MEMORY.trim();

/** srun, with exit code 1, of a step that never began */
export const srunRefusal: Answers = {
  program: 'srun',
  question: 'why a step did not begin',
  read: (lastWords) =>
    stepAccountOf({ srun: { exitCode: 1, signal: undefined }, mark: NO_MARK, row: undefined, lastWords }).refused,
  rows: {
    old: [
      '20.11',
      'srun: error: Unable to create step for job 36: Invalid generic resource (gres) specification\n',
      'srun: error: Unable to create step for job 36: Invalid generic resource (gres) specification',
    ],
    current: ['22.05.8', NO_MEMORY, WHY],
    newest: ['26.05.3, canceled while it waited', `srun: Cancelled pending job step with signal 15\n${NO_MEMORY}`, WHY],
    nothing: ['a wrapper that ends with 1', '', 'Slurm created no step, and gives no reason'],
    'an error on stdout': [
      'the controller is away',
      'srun: error: Unable to confirm allocation for job 36: Unable to contact slurm controller (connect failure)\n',
      'srun: error: Unable to confirm allocation for job 36: Unable to contact slurm controller (connect failure)',
    ],
    'a banner before it': ['a prolog of the site', BANNER + NO_MEMORY, WHY],
    'too much': ['a plugin that prints', 'lua: checking\n'.repeat(MANY) + NO_MEMORY, WHY],
    'cut off': ['it was killed', 'srun: error: Unab', 'srun: error: Unab'],
  },
};
