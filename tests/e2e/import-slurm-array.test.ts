import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../support/folder-with.ts';
import { torc } from '../support/programs.ts';

/** `torc import slurm-array`: what the tasks of an array give in Slurm, the workflow gives too. */

describe('torc import slurm-array', () => {
  const array = (body: string, options = '#SBATCH --array=1-3%2\n#SBATCH --mem=64M\n') =>
    `#!/bin/bash\n${options}set -eu\n${body}\n`;

  it('an imported array script gives what the tasks give in Slurm', async () => {
    const folder = folderWith({
      'samples.txt': 'ada\nbob\neve\n',
      'out/keep': '',
      'count.sbatch': array(
        'sed -n "${SLURM_ARRAY_TASK_ID}p" samples.txt > out/$SLURM_ARRAY_TASK_ID-of-$SLURM_ARRAY_TASK_COUNT',
      ),
    });
    const { code, stderr, stdout } = await torc(['import', 'slurm-array', 'count.sbatch', '-o', 'count.yaml'], {
      cwd: folder,
    });
    expect([code, stdout, stderr]).toEqual([
      0,
      '',
      expect.stringMatching(/^Wrote count\.yaml: 3 jobs, 0 files, 0 notes, 0 left out/),
    ]);
    expect((await torc(['-s', 'run', 'count.yaml'], { cwd: folder })).code).toBe(0);
    const made = ['ada', 'bob', 'eve'].map((_, at) => readFileSync(join(folder, `out/${at + 1}-of-3`), 'utf8').trim());
    expect(made).toEqual(['ada', 'bob', 'eve']);
  });

  it('no more tasks run at a time than %1 lets, and no more than there are licenses', async () => {
    const alone = (lock: string) =>
      `flock -n ${lock} sleep 0.2; echo $SLURM_ARRAY_TASK_ID > ${lock}.$SLURM_ARRAY_TASK_ID`;
    const folder = folderWith({
      'a.sbatch': array(alone('a'), '#SBATCH --array=1-3%1\n#SBATCH --mem=64M\n'),
      'b.sbatch': array(alone('b'), '#SBATCH --array=1-3\n#SBATCH --mem=64M\n#SBATCH -L matlab:2\n'),
    });
    for (const name of ['a', 'b']) {
      const { code, stderr } = await torc(['import', 'slurm-array', `${name}.sbatch`, '-o', `${name}.yaml`], {
        cwd: folder,
      });
      expect([code, stderr]).toEqual([0, expect.stringContaining('0 left out')]);
    }
    const written = readFileSync(join(folder, 'b.yaml'), 'utf8');
    writeFileSync(join(folder, 'b.yaml'), `${written}limits: { matlab: 3 }\n`);
    for (const name of ['a', 'b']) {
      const ran = await torc(['-s', 'run', `${name}.yaml`, '--num-cpus', '3', '--fail'], { cwd: folder });
      expect(ran.code, ran.stderr).toBe(0);
      expect(['1', '2', '3'].map((task) => existsSync(join(folder, `${name}.${task}`)))).toEqual([true, true, true]);
    }
  });

  it('the arguments of the script come from --args', async () => {
    const folder = folderWith({ 'a.sbatch': array('echo "$2" > "$1.$SLURM_ARRAY_TASK_ID"') });
    const given = ['import', 'slurm-array', 'a.sbatch', '--args', "out 'two words'", '-o', 'a.yaml'];
    expect((await torc(given, { cwd: folder })).code).toBe(0);
    expect((await torc(['-s', 'run', 'a.yaml'], { cwd: folder })).code).toBe(0);
    expect(readFileSync(join(folder, 'out.3'), 'utf8')).toBe('two words\n');
  });

  it('a script of which something is left out writes nothing and exits with 1, and with --partial it writes the rest', async () => {
    const folder = folderWith({ 'a.sbatch': array('srun true $SLURM_ARRAY_TASK_ID') });
    const refused = await torc(['import', 'slurm-array', 'a.sbatch', '-o', 'a.yaml'], { cwd: folder });
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      1,
      '',
      expect.stringMatching(
        /a\.sbatch:5: left out: srun: .*1 thing that may change the result was left out\. Nothing was written/s,
      ),
    ]);
    expect(existsSync(join(folder, 'a.yaml'))).toBe(false);
    const partial = await torc(['import', 'slurm-array', 'a.sbatch', '--partial'], { cwd: folder });
    expect([partial.code, partial.stdout]).toEqual([
      0,
      expect.stringMatching(/^# a\.sbatch:5: left out: srun: .*\nname: a\n/),
    ]);
    const json = await torc(['import', 'slurm-array', 'a.sbatch', '--partial', '-f', 'json'], { cwd: folder });
    expect(JSON.parse(json.stdout)).toMatchObject({ name: 'a' });
  });

  it.each([
    [['nothing.sbatch'], 'there is no such file'],
    [['-'], 'not standard input'],
    [['a.sbatch', '-o', 'a.kdl'], 'a name that ends in .yaml or .json'],
    [['a.sbatch', '--array', '5-1'], '--array=5-1 is no list of tasks'],
  ])('the arguments %j are refused, which says "%s"', async (args, words) => {
    const folder = folderWith({ 'a.sbatch': array('true $SLURM_ARRAY_TASK_ID') });
    const { code, stdout, stderr } = await torc(['import', 'slurm-array', ...args], { cwd: folder });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(words)]);
  });
});
