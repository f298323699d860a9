import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../support/folder-with.ts';
import { torc } from '../support/programs.ts';

/** `torc import pbs-array`; `tests/pbs/arrays.test.ts` compares with what PBS itself does. */

describe('torc import pbs-array', () => {
  it('an imported array script of PBS gives what the tasks give, and a script of qsub its jobs in order', async () => {
    const folder = folderWith({
      'samples.txt': 'ada\nbob\neve\n',
      'count.pbs': [
        '#!/bin/bash',
        '#PBS -N count',
        '#PBS -J 1-3%2',
        '#PBS -l select=1:ncpus=1:mem=64mb,walltime=00:01:00',
        'cd "$PBS_O_WORKDIR"',
        'sed -n "${PBS_ARRAY_INDEX}p" samples.txt > $PBS_ARRAY_INDEX.count',
        '',
      ].join('\n'),
      'collect.pbs': '#!/bin/bash\ncd "$PBS_O_WORKDIR"\ncat 1.count 2.count 3.count > all\n',
      'go.sh': '#!/bin/bash\nfirst=$(qsub count.pbs)\nqsub -W depend=afterok:$first collect.pbs\n',
    });
    const { code, stderr } = await torc(['import', 'pbs-array', 'go.sh', '-o', 'go.yaml'], { cwd: folder });
    expect([code, stderr]).toEqual([0, expect.stringContaining('4 jobs, 0 files, 2 notes, 0 left out')]);
    expect((await torc(['-s', 'run', 'go.yaml'], { cwd: folder })).code).toBe(0);
    expect(readFileSync(join(folder, 'all'), 'utf8')).toBe('ada\nbob\neve\n');
  });

  it('the tasks of the command line win, and what is left out stops it unless a part is asked for', async () => {
    const folder = folderWith({
      'a.pbs': '#PBS -J 1-9\n#PBS -S /bin/csh\ncd $PBS_O_WORKDIR\ntouch $PBS_ARRAY_INDEX\n',
    });
    const given = ['import', 'pbs-array', 'a.pbs', '--array', '1-2'];
    const refused = await torc(given, { cwd: folder });
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      1,
      '',
      expect.stringContaining('a.pbs:2: left out: -S /bin/csh: write it behind #! in the script'),
    ]);
    const { stdout } = await torc([...given, '--partial'], { cwd: folder });
    expect(stdout).toContain("task: '1:2'");
  });
});
