import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { itemsOf } from '../../lists/int-list.ts';
import type { Disk } from './path-key.ts';
import type { Plan } from '../plan/plan.ts';
import { planOfSpec } from '../read/read.ts';

const disk: Disk = { folders: ['/home/ada/w'], isLink: (path) => path === '/home/ada/w/link' };
const read = (spec: object, on: Disk | undefined = disk) =>
  planOfSpec({ name: 'w', ...spec }, 'flow', { readFile: () => '', fileExists: () => false, ...(on && { disk: on }) });

/** For each job the names of those that it waits for. */
function waits({ graph: { jobs, waitsFor }, jobName }: Plan): Record<string, string[]> {
  const upstream = (job: number): string[] => {
    const seen = new Set<number>();
    const follow = (node: number) => {
      for (const each of itemsOf(waitsFor, node)) {
        if (seen.has(each) || each === job) continue;
        seen.add(each);
        if (each >= jobs) follow(each);
      }
    };
    follow(job);
    return [...seen].filter((node) => node < jobs).map(jobName);
  };
  return Object.fromEntries(Array.from({ length: jobs }, (_, job) => [jobName(job), upstream(job).toSorted()]));
}

const waitsIn = (spec: object, on?: Disk) => waits(read(spec, on).plan as Plan);
const problemsOf = (spec: object, on?: Disk) =>
  read(spec, on).problems.map(
    ({ code, severity, path, message, plain }) => `${severity} ${code} ${path}: ${plain ?? message}`,
  );

const pair = (written: string, wanted: string) => ({
  files: [
    { name: 'made', path: written },
    { name: 'wanted', path: wanted },
  ],
  jobs: [
    { name: 'use', command: 'cat ${files.input.wanted}' },
    { name: 'make', command: 'x', output_files: ['made'] },
  ],
});

describe('one file under two names', () => {
  test.each(['res/o.txt', './res/o.txt', 'res//o.txt', 'x/../res/o.txt', '/home/ada/w/res/o.txt'])(
    'a job that reads res/o.txt waits for the job that writes %s, and its paths stay as they are written',
    (path) => {
      for (const spec of [pair(path, 'res/o.txt'), pair('res/o.txt', path)]) {
        const { plan, problems } = read(spec);
        expect([waits(plan as Plan), problems]).toEqual([{ use: ['make'], make: [] }, []]);
        expect(plan?.jobs.at(0).command).toBe(`cat ${spec.files[1]?.path}`);
        expect([plan?.files.at(0).path, plan?.files.at(1).path]).toEqual(spec.files.map((file) => file.path));
      }
    },
  );

  test.each(['res/p.txt', 'link/../res/o.txt', '/home/ada/res/o.txt'])(
    'a job that reads res/o.txt does not wait for the job that writes %s, and a warning says that its input is missing',
    (path) => {
      expect(waitsIn(pair(path, 'res/o.txt'))).toEqual({ use: [], make: [] });
      expect(problemsOf(pair(path, 'res/o.txt'))).toEqual([
        expect.stringContaining('warning INPUT_MISSING files[1].path: res/o.txt does not exist'),
      ]);
    },
  );

  it('where the reader sees no disk, a .. and an absolute path are other files, and ./ is not', () => {
    const on = (path: string) =>
      waits(planOfSpec({ name: 'w', ...pair(path, 'res/o.txt') }, 'flow', { readFile: () => '' }).plan as Plan).use;
    expect(['./res/o.txt', 'x/../res/o.txt', '/home/ada/w/res/o.txt'].map(on)).toEqual([['make'], [], []]);
  });

  it('patterns that select outputs or inputs reach the other name too', () => {
    const files = [
      { name: 'made_{i}', path: 'out/{i}', parameters: { i: '1:3' } },
      { name: 'wanted_{i}', path: './out/{i}', parameters: { i: '2:4' } },
    ];
    const jobs = [
      { name: 'make', command: 'x', output_file_regexes: ['^made_'] },
      { name: 'use', command: 'x', input_file_regexes: ['^wanted_[23]'] },
      { name: 'other', command: 'x', input_files: ['wanted_4'] },
    ];
    expect(waitsIn({ files, jobs })).toEqual({ make: [], use: ['make'], other: [] });
  });

  it('two jobs that write one file in two spellings are warned about, with both; not in order', () => {
    const [files] = [pair('res/o.txt', './res/o.txt').files];
    const a = { name: 'a', command: 'x', output_files: ['made'] };
    const b = { name: 'b', command: 'x', output_files: ['wanted'] };
    expect(problemsOf({ files, jobs: [a, b] })).toEqual([
      "warning FILE_WRITTEN_TWICE jobs[1].name: Jobs 'a' and 'b' both write one file, res/o.txt and ./res/o.txt; the one that ends last overwrites the other's file",
    ]);
    const second = { ...a, name: 'b', output_files: ['wanted'] };
    expect(problemsOf({ files, jobs: [{ ...b, name: 'a' }, second] })).toEqual([
      "warning FILE_WRITTEN_TWICE jobs[1].name: Jobs 'a' and 'b' both write ./res/o.txt; the one that ends last overwrites the other's file",
    ]);
    expect(
      problemsOf({
        files,
        jobs: [
          { ...b, name: 'a' },
          { ...second, input_files: ['wanted'] },
        ],
      }),
    ).toEqual([]);
    expect(problemsOf({ files, jobs: [a, { ...b, depends_on: ['a'] }] })).toEqual([]);
    expect(problemsOf({ files, jobs: [a, { ...b, input_files: ['made'] }] })).toEqual([]);
  });

  it('where a job changes a file, its names are the states before and after, and jobs wait as they name them', () => {
    const files = ['raw', 'sorted', 'unique'].map((name) => ({ name, path: 'data.txt' }));
    const jobs = [
      { name: 'make', command: 'x', output_files: ['raw'] },
      { name: 'sort', command: 'x', input_files: ['raw'], output_files: ['sorted'] },
      { name: 'unify', command: 'x', input_files: ['sorted'], output_files: ['unique'] },
      { name: 'count', command: 'x', input_files: ['unique'] },
    ];
    expect(waitsIn({ files, jobs })).toEqual({ make: [], sort: ['make'], unify: ['sort'], count: ['unify'] });
    const inPlace = { name: 'sort', command: 'x', input_files: ['raw'], output_files: ['sorted'] };
    expect(waitsIn({ files, jobs: [inPlace, jobs[3]] })).toEqual({ sort: [], count: [] });
  });

  it('a job that replaces a file after others read it runs after them, with a warning', () => {
    const jobs = [
      { name: 'use', command: 'x', input_files: ['wanted'] },
      { name: 'make', command: 'x', output_files: ['made'], depends_on: ['use'] },
    ];
    const spec = { files: pair('o', './o').files, jobs };
    expect(waitsIn(spec)).toEqual({ use: [], make: ['use'] });
    expect(problemsOf(spec)).toContainEqual(
      expect.stringContaining(
        "warning SAME_FILE_CIRCLE files[0].path: Files 'made' (o) and 'wanted' (./o) are one file",
      ),
    );
    const other = { name: 'free', command: 'x', input_files: ['wanted'] };
    expect(problemsOf({ ...spec, jobs: [other, { ...jobs[1], depends_on: [] }] })).toEqual([]);
  });

  it('a circle in the names is reported once, as for one spelling', () => {
    const { files } = pair('o', './o');
    const jobs = [
      { name: 'a', command: 'x', input_files: ['made', 'last'], output_files: ['first'] },
      { name: 'b', command: 'x', input_files: ['first'], output_files: ['last', 'made'] },
      { name: 'c', command: 'x', input_files: ['wanted'] },
    ];
    const all = [...files, { name: 'first', path: 'first' }, { name: 'last', path: 'last' }];
    expect(problemsOf({ files: all, jobs }).map((line) => line.split(' ')[1])).toEqual(['CYCLE_IMPLICIT']);
  });

  it('an input that is missing in two spellings is reported once', () => {
    const jobs = [{ name: 'use', command: 'x', input_files: ['made', 'wanted'] }];
    expect(problemsOf({ files: pair('o', './o').files, jobs })).toHaveLength(1);
  });

  it('jobs that are named by paths in any spelling learn the name of the file', () => {
    const jobs = [{ name: 'use', command: 'x', input_files: ['./o'] }];
    expect(problemsOf({ files: [{ name: 'made', path: 'o' }], jobs })[0]).toContain(
      "write the name of the file, 'made'",
    );
  });

  it('jobs wait for the same jobs, in whatever spelling each of them names a file', () => {
    const heads = ['', './', 'x/../', '/home/ada/w/', './/'];
    const workflow = fc.array(
      fc.record({ reads: fc.uniqueArray(fc.nat(6), { maxLength: 3 }), spelled: fc.constantFrom(...heads) }),
      { minLength: 1, maxLength: 7 },
    );
    const specOf = (jobs: readonly { reads: readonly number[]; spelled: string }[], isSpelled: boolean) => {
      const headOf = (job: number) => (isSpelled ? (jobs[job]?.spelled ?? '') : '');
      const files = jobs
        .slice(0, isSpelled ? jobs.length : 1)
        .flatMap((_, job) => jobs.map((__, at) => ({ name: `${job}_${at}`, path: `${headOf(job)}out/${at}` })));
      const nameOf = (job: number, at: number) => (isSpelled ? `${job}_${at}` : `0_${at}`);
      return {
        files,
        jobs: jobs.map(({ reads }, job) => ({
          name: `j${job}`,
          command: 'x',
          input_files: reads.filter((at) => at < job).map((at) => nameOf(job, at)),
          output_files: [nameOf(job, job)],
        })),
      };
    };
    fc.assert(
      fc.property(workflow, (jobs) => {
        expect(waitsIn(specOf(jobs, true))).toEqual(waitsIn(specOf(jobs, false)));
      }),
    );
  });
});
