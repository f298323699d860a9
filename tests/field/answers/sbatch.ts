import { expect } from 'vitest';
import { parseTested, submitScript } from '../../../src/cluster/slurm/sbatch.ts';
import { type Answers, BANNER, MANY } from './answer.ts';

const UNCLEAR = { refused: expect.stringContaining('Failed to parse job ID from sbatch output') };

/** sbatch SCRIPT */
export const sbatchSubmitted: Answers = {
  program: 'sbatch',
  question: 'the id of a submission',
  read: (text) => submitScript(() => Promise.resolve(text), '/a.sh', undefined),
  rows: {
    old: ['20.11, a site that wraps it', '36\n', 36],
    current: ['22.05.8', 'Submitted batch job 36\n', 36],
    newest: ['26.05.3, --parsable by a wrapper', '36;blue\n', 36],
    nothing: ['a wrapper that prints nothing', '', UNCLEAR],
    'an error on stdout': [
      'a wrapper that joins the streams',
      'sbatch: error: Batch job submission failed: Invalid qos specification\n',
      UNCLEAR,
    ],
    'a banner before it': ['a shell of the site', `${BANNER}Submitted batch job 36\n`, 36],
    'too much': ['a plugin that prints', `${'lua: checking\n'.repeat(MANY)}Submitted batch job 36\n`, 36],
    'cut off': ['a wrapper that ended', 'Submitted batch j', UNCLEAR],
  },
};

/** sbatch --test-only */
export const sbatchTested: Answers = {
  program: 'sbatch',
  question: 'when a script would start',
  read: (text) => parseTested(text).kind,
  rows: {
    old: [
      '20.11',
      'sbatch: Job 36 to start at 2026-11-29T18:40:00 using 4 processors on nodes n1 in partition batch\n',
      'starts',
    ],
    current: [
      '22.05.8, it does not fit',
      'sbatch: error: Batch job submission failed: Requested node configuration is not available\n',
      'refused',
    ],
    newest: [
      '26.05.3',
      'allocation failure: Requested time limit is invalid (missing or exceeds some limit)\n',
      'refused',
    ],
    nothing: ['a wrapper that prints nothing', '', 'unknown'],
    'an error on stdout': [
      'the controller is away',
      'sbatch: error: Unable to contact slurm controller (connect failure)\n',
      'unknown',
    ],
    'a banner before it': [
      'a shell of the site',
      `${BANNER}sbatch: Job 36 to start at 2026-11-29T18:40:00 using 4 processors on nodes n1 in partition batch\n`,
      'starts',
    ],
    'too much': [
      'a plugin that prints',
      `${'lua: checking\n'.repeat(MANY)}sbatch: Job 36 to start at 2026-11-29T18:40:00 using 4 processors\n`,
      'starts',
    ],
    'cut off': ['a wrapper that ended', 'sbatch: Job 36 to start at 2026-11-2', 'unknown'],
  },
};
