import { expect, test } from 'vitest';
import { convertDriver } from '../../src/convert/array/convert-driver.ts';
import { noteText } from '../../src/convert/conversion.ts';
import { slurmArrays } from '../../src/convert/slurm-array/convert.ts';

/** Ways in which people chain batch scripts, from public reports: what the first lines give, and what is left out with its place. */

const SCRIPT = '#!/bin/bash\ntrue\n';
const ARRAY = '#!/bin/bash\n#SBATCH --array=1-3\necho $SLURM_ARRAY_TASK_ID\n';

const CHAINS: readonly (readonly [
  source: string,
  lines: readonly string[],
  waits: unknown,
  leftOut: readonly string[],
])[] = [
  [
    'cambiotraining/hpc-intro issue 33: the id is cut out of the sentence of sbatch',
    ['RUN_ID_1=$(sbatch first.sh | cut -d " " -f 4)', 'sbatch --dependency=afterok:$RUN_ID_1 second.sh'],
    { depends_on: ['first'] },
    [],
  ],
  [
    'mlr-org/batchtools issue 190: --parsable prints the cluster behind the id',
    ['id=$(sbatch --parsable -M mycluster first.sh)', 'sbatch -d afterok:${id%%;*} second.sh'],
    { depends_on: ['first'] },
    [],
  ],
  [
    'Traitome/oxo-flow issue 371: each task waits for the task with its number',
    ['align=$(sbatch --parsable first.array)', 'sbatch --dependency=aftercorr:$align second.array'],
    { depends_on: ['first_{task}'] },
    [],
  ],
  [
    'acorg/slurm-pipeline issue 21: an array waits for one task of another, by a number of a terminal',
    ['sbatch first.array', 'sbatch --dependency=afterok:1222012_5 second.array'],
    {},
    ['submit.sh:3: left out: --dependency=afterok:1222012_5: no sbatch above gives 1222012_5 its value'],
  ],
  [
    'CoBrALab/qbatch issue 120: the last job runs whether the first one failed or not',
    ['id=$(sbatch --parsable first.sh)', 'sbatch --dependency=afterany:$id second.sh'],
    {},
    [
      'submit.sh:3: left out: afterany: a job of a workflow starts when those before it succeeded; an action or a failure handler acts on a failure',
    ],
  ],
];

test.each(CHAINS)('%s', (_, lines, waits, leftOut) => {
  const { workflow, notes } = convertDriver(
    {
      text: ['#!/bin/bash', ...lines].join('\n'),
      path: 'submit.sh',
      readFile: (path) => (path.endsWith('.array') ? ARRAY : SCRIPT),
    },
    slurmArrays,
  );
  const [, second] = workflow['jobs'] as readonly Readonly<Record<string, unknown>>[];
  const found = Object.fromEntries(Object.entries(second ?? {}).filter(([field]) => field.startsWith('depends_on')));
  expect(found).toEqual(waits);
  expect(notes.filter(({ isLeftOut }) => isLeftOut).map(noteText)).toEqual(leftOut);
});
