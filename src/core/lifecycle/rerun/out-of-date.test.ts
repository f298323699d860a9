import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { changedJobs, outrunJobs, type FileOnDisk, type JobWithFiles, type ReadInput } from './out-of-date.ts';

const job: JobWithFiles = {
  id: 1,
  name: 'sort',
  status: 'completed',
  depends_on_job_ids: null,
  input_file_ids: [7],
  output_file_ids: null,
};
/** An input that is now of time 100 and of 5 bytes; `known` is the time that is stored for the file. */
const file = (known: number | null): FileOnDisk => ({
  id: 7,
  name: 'raw',
  path: 'raw',
  st_mtime: known,
  mtime: 100,
  size: 5,
});

it('a job ran too early if a job that it waits for ended later, and no file or value between them decides', () => {
  const one = (id: number, result: number | null, more: Partial<JobWithFiles> = {}): JobWithFiles => ({
    ...job,
    id,
    input_file_ids: null,
    result_id: result,
    ...more,
  });
  const found = (...jobs: JobWithFiles[]) => [...outrunJobs(jobs)].map(([id, other]) => [id, other.id]);
  const after = { depends_on_job_ids: [1] };
  expect(found(one(1, 9), one(2, 5, after))).toEqual([[2, 1]]);
  expect(found(one(1, 4), one(2, 5, after))).toEqual([]);
  expect(found(one(1, 9, { output_file_ids: [7] }), one(2, 5, { ...after, input_file_ids: [7] }))).toEqual([]);
  expect(found(one(1, 9, { output_user_data_ids: [3] }), one(2, 5, { ...after, input_user_data_ids: [3] }))).toEqual(
    [],
  );
  // One that did not complete has its own reason, and Torc's server does not say which result came first.
  expect(found(one(1, 9), one(2, 5, { ...after, status: 'failed' }))).toEqual([]);
  expect(found(one(1, null), one(2, null, after))).toEqual([]);
});

it('the time of a folder that jobs make or write into says nothing to those who read it, that of another one does', () => {
  const folder = { ...file(50), path: 'data', isFolder: true };
  const output = { id: 9, name: 'out', path: 'data/out', st_mtime: 100, mtime: 100 };
  const found = (...outputs: readonly number[]) =>
    changedJobs({
      jobs: [job, { ...job, id: 2, input_file_ids: null, output_file_ids: outputs }],
      files: [folder, output],
    });
  expect([...found().keys()]).toEqual([1]);
  expect([...found(9).keys()]).toEqual([]);
  expect([...found(7).keys()]).toEqual([]);
});

it.each<[string, number | null, Omit<ReadInput, 'file_id'> | undefined, string | undefined]>(
  [
    ['a job that read the file as it is now is up to date, whatever is stored for the file', 50, [100, 5], undefined],
    ['a job that read an older file is not, although the file is stored as it is now', 100, [50, 5], 'newer'],
    ['a job that read a newer file is not', 100, [150, 5], 'older'],
    ['a job that read a file of the same time and of another size is not', 100, [100, 4], 'resized'],
    ['a job without such a record is compared with the time that is stored for the file', 100, undefined, undefined],
    ['such a job runs again where the stored time is another one', 50, undefined, 'newer'],
  ].map(([title, known, read, change]) => {
    const [st_mtime, st_size] = (read ?? []) as [number, number];
    return [title, known, read && { st_mtime, st_size }, change] as never;
  }),
)('%s', (_, known, read, change) => {
  const reads = read && new Map([[1, [{ file_id: 7, ...read }]]]);
  const found = changedJobs({ jobs: [job], files: [file(known)], reads });
  expect(found.get(1)?.map((cause) => cause.change)).toEqual(change && [change]);
});

test('a folder holds an output exactly if the path of one begins with it', () => {
  const part = fc.constantFrom('a', 'b', 'ab');
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(path, fc.array(path, { maxLength: 5 }), fc.constantFrom('', '/', './'), (folder, outputs, lead) => {
      const input = { ...file(50), path: `${lead}${folder}`, isFolder: true };
      const written = outputs.map((each, index) => ({ ...file(100), id: 100 + index, path: `${lead}${each}` }));
      const writer = { ...job, id: 2, input_file_ids: null, output_file_ids: written.map(({ id }) => id) };
      const found = changedJobs({ jobs: [job, writer], files: [input, ...written] });
      expect(found.has(1)).toBe(!outputs.some((each) => each.startsWith(`${folder}/`)));
    }),
  );
});

it('a missing file that is temporary says nothing to those that read or made it, another one does, and one that was cleaned up says so', () => {
  const gone = { ...file(100), mtime: undefined, size: undefined };
  const jobs = [job, { ...job, id: 2, input_file_ids: null, output_file_ids: [7] }];
  const changes = (more: Partial<FileOnDisk>) =>
    [...changedJobs({ jobs, files: [{ ...gone, ...more }] }).values()].flat().map(({ change }) => change);
  expect(changes({ temporary: true, removal: 'deleted' })).toEqual([]);
  expect(changes({})).toEqual(['missing', 'missing']);
  expect(changes({ removal: 'cleaned' })).toEqual(['missing', 'cleaned']);
});
