import { expect, it } from 'vitest';
import type { JobWithFiles } from './out-of-date.ts';
import { namedPrograms, newerPrograms, programsIn } from './named-programs.ts';

it.each([
  ['python plot.py --in a.csv', ['plot.py']],
  ['./simulate -n 4 && Rscript "src/sum.R" src/fit.R | tee log', ['simulate', 'src/sum.R', 'src/fit.R']],
  ["bash -c 'sh steps/run.sh; sh steps/run.sh'", ['steps/run.sh']],
  ['samtools view -o out.bam ../ref.fa', ['../ref.fa']],
  ['python $HOME/plot.py ${x}.py -c "import a.py" --script=plot.py', ['a.py']],
  ['sort < raw > sorted', []],
  ['/usr/bin/python3 /opt/tools/fit.py', []],
])('the programs that %s names are %j', (command, programs) => {
  expect(programsIn(command)).toEqual(programs);
});

const job = (of: Partial<JobWithFiles>): JobWithFiles => ({
  id: 1,
  name: 'plot',
  status: 'completed',
  command: 'python plot.py',
  depends_on_job_ids: null,
  input_file_ids: null,
  output_file_ids: [7],
  ...of,
});
const file = { id: 7, name: 'out', path: 'out', st_mtime: 50, mtime: 50 };
const script = { id: 8, name: 'plot.py', path: './plot.py', st_mtime: 90, mtime: 90 };

it('a program that was changed after the outputs of a job is newer than its result, and one from before is not', () => {
  const found = (changedAt: number, ...jobs: readonly JobWithFiles[]) =>
    newerPrograms(namedPrograms({ jobs, files: [file, script] }), new Map([['plot.py', changedAt]]), [file, script]);
  expect(found(90, job({}), job({ id: 2 }))).toEqual([{ path: 'plot.py', jobs: 2 }]);
  expect(found(40, job({}))).toEqual([]);
  // An input is compared as one; a job that did not complete or has no outputs says nothing.
  expect(found(90, job({ input_file_ids: [8] }))).toEqual([]);
  expect(found(90, job({ status: 'failed' }), job({ output_file_ids: null }))).toEqual([]);
});
