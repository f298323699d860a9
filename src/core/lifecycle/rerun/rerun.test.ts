import { expect, it } from 'vitest';
import type { FileOnDisk, JobWithFiles } from './out-of-date.ts';
import { rerunsOf, type RerunRules } from './rerun.ts';

const job = (id: number, inputs: number[], outputs: number[], more: Partial<JobWithFiles> = {}): JobWithFiles => ({
  id,
  name: `j${id}`,
  status: 'completed',
  depends_on_job_ids: inputs.length === 0 ? null : inputs,
  input_file_ids: inputs,
  output_file_ids: outputs,
  ...more,
});
const file = (id: number, more: Partial<FileOnDisk> = {}): FileOnDisk => ({
  id,
  name: `f${id}`,
  path: `f${id}`,
  st_mtime: 100,
  mtime: 100,
  ...more,
});
/** File n is made by job n; a deleted one is temporary. */
const deleted = (id: number) => file(id, { mtime: undefined, temporary: true, removal: 'deleted' });

const reruns = (jobs: readonly JobWithFiles[], files: readonly FileOnDisk[], rules?: RerunRules) =>
  rerunsOf({ jobs, files, missingUserData: [], changedUserData: [] }, rules).run.map(({ job_name: name, reasons }) => [
    name,
    ...reasons.map((reason) => ('change' in reason ? `${reason.file} ${reason.change}` : reason.kind)),
  ]);

const chain = [job(1, [], [1]), job(2, [1], [2]), job(3, [2], [3])];

it('deleted temporary files make nothing run, by the rules of Torc as by those of a run', () => {
  for (const sparesMakers of [true, false])
    expect(reruns(chain, [deleted(1), deleted(2), file(3)], { sparesMakers })).toEqual([]);
});

it('a deleted temporary file that no job reads makes nothing run either', () => {
  expect(reruns(chain, [file(1), file(2), deleted(3)])).toEqual([]);
});

it('a job that runs makes the makers of its deleted inputs run, through a chain of them', () => {
  expect(reruns(chain, [deleted(1), deleted(2), file(3)], { forced: [3], onlyChanges: true })).toEqual([
    ['j1', 'f1 deleted'],
    ['j2', 'f2 deleted', 'job'],
    ['j3', 'forced', 'job'],
  ]);
});

it('a missing output of the last job makes the makers of what it reads run where that is deleted, and not where it is there', () => {
  const lost = file(3, { mtime: undefined });
  expect(reruns(chain, [deleted(1), deleted(2), lost]).map(([name]) => name)).toEqual(['j1', 'j2', 'j3']);
  expect(reruns(chain, [deleted(1), file(2), lost]).map(([name]) => name)).toEqual(['j3']);
});

it('an output that was cleaned up is named as such', () => {
  const cleaned = file(3, { mtime: undefined, removal: 'cleaned' });
  expect(reruns(chain, [file(1), file(2), cleaned], { sparesMakers: true })).toEqual([['j3', 'f3 cleaned']]);
});
