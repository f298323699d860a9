import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../support/folder-with.ts';
import { torc, until } from '../support/programs.ts';
import { pbsIsMissing, startPbs } from './cluster.ts';

const SCRIPT = [
  '#PBS -N count',
  '#PBS -J 2-6:2%2',
  '#PBS -l select=1:ncpus=2:mem=64mb',
  '#PBS -l walltime=00:01:00 -j oe',
  'cd "$PBS_O_WORKDIR"',
  'echo "$PBS_ARRAY_INDEX $PBS_JOBNAME $NCPUS $OMP_NUM_THREADS $PBS_ENVIRONMENT $(basename "$PWD")" > WHERE.$PBS_ARRAY_INDEX',
  '',
].join('\n');

describe.skipIf(pbsIsMissing !== undefined)('an array of PBS and the workflow that is made of it', () => {
  it('an imported array writes the files that PBS writes for its tasks', async () => {
    const cluster = await startPbs({ nodes: 1 });
    const folder = folderWith({ 'a.pbs': SCRIPT.replaceAll('WHERE', 'out') });
    const written = () =>
      Object.fromEntries(
        readdirSync(folder)
          .filter((name) => name.startsWith('out.'))
          .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
      );
    const id = cluster.run('bash', '-c', `cd ${folder} && qsub -f a.pbs`).trim();
    await until(
      () => cluster.run('qstat', '-x', '-f', '-F', 'dsv', id),
      (text) => text.includes('|job_state=F'),
      'the array to end',
      60_000,
    );
    const theirs = written();
    expect(Object.keys(theirs).toSorted()).toEqual(['out.2', 'out.4', 'out.6']);
    for (const name of Object.keys(theirs)) cluster.run('rm', join(folder, name));
    const imported = await torc(['import', 'pbs-array', 'a.pbs', '-o', 'a.yaml'], { cwd: folder });
    expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining('3 jobs')]);
    const ran = await torc(['-s', 'run', 'a.yaml', '--num-cpus', '4'], { cwd: folder });
    expect(ran.code, ran.stderr).toBe(0);
    expect(written()).toEqual(theirs);
  });
});
