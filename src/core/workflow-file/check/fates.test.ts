import { describe, expect, it } from 'vitest';
import { planned, read, readText } from '../../../../tests/spec/reading.ts';
import { each } from '../../lists/sequence.ts';

const fatesIn = (spec: object) =>
  Object.fromEntries([...each(planned(spec).files)].map(({ path, fate }) => [path, Object.keys(fate).join()]));
const problemsOf = (spec: object) =>
  read(spec).problems.map(({ severity, code, path, message }) => `${severity} ${code} ${path} ${message}`);

const maker = { name: 'make', command: 'touch a', outputs: [{ path: 'a', temporary: true }] };
const reader = { name: 'read', command: 'cat a', inputs: ['a'] };

describe('temporary and protected files', () => {
  it('an output of a job is temporary, and so is a file of an entry, each also where another job named its path first', () => {
    expect(
      fatesIn({
        name: 'w',
        files: [{ name: 'b', path: 'b', protected: true }],
        jobs: [reader, { ...maker, output_files: ['b'] }, { ...reader, name: 'other', inputs: ['./a'] }],
      }),
    ).toEqual({ a: 'temporary', b: 'protected' });
  });

  it('each instance of a family has the fate of its output', () => {
    const use_parameters = ['i'];
    expect(
      fatesIn({
        name: 'w',
        parameters: { i: '1:2' },
        jobs: [
          { name: 'm{i}', use_parameters, command: 'x', outputs: [{ path: 't{i}', temporary: true }, 'o{i}'] },
          { name: 'r{i}', use_parameters, command: 'x', inputs: ['t{i}'] },
        ],
      }),
    ).toEqual({ t1: 'temporary', t2: 'temporary', o1: '', o2: '' });
  });

  it('a file that no job reads is deleted at once, with a warning; one that jobs read gives none', () => {
    expect(problemsOf({ name: 'w', jobs: [maker] })).toEqual([
      'warning TEMPORARY_UNREAD jobs[0].outputs[0].temporary a is temporary and no job reads it: it will be deleted as soon as the job that makes it has completed',
    ]);
    expect(problemsOf({ name: 'w', jobs: [maker, reader] })).toEqual([]);
  });

  it('a file that no job makes is kept, with a warning', () => {
    const spec = {
      name: 'w',
      files: [{ name: 'a', path: 'a', temporary: true }],
      jobs: [{ ...reader, inputs: ['a'] }],
    };
    expect(problemsOf(spec)[0]).toContain('a is temporary and will be kept: no job makes it');
    expect(fatesIn(spec)).toEqual({ a: '' });
  });

  it('a file of two entries is kept, because the readers of one entry are not those of the other', () => {
    const spec = {
      name: 'w',
      files: [
        { name: 'a', path: 'a', temporary: true },
        { name: 'same', path: './a' },
      ],
      jobs: [
        { name: 'make', command: 'x', output_files: ['a'] },
        { name: 'read', command: 'x', input_files: ['same'] },
      ],
    };
    expect(problemsOf(spec)).toEqual([expect.stringContaining('TEMPORARY_KEPT files[0].temporary')]);
    expect(fatesIn(spec)).toEqual({ a: '', './a': '' });
  });

  it('a folder with another file of the workflow in it is kept', () => {
    const spec = {
      name: 'w',
      jobs: [
        { ...maker, outputs: [{ path: 'work', temporary: true }, 'work/deep/result'] },
        { ...reader, inputs: ['work'] },
      ],
    };
    expect(problemsOf(spec)).toEqual([expect.stringContaining('work is temporary and will be kept: work/deep/result')]);
    expect(fatesIn(spec)).toEqual({ work: '', 'work/deep/result': '' });
  });

  it('a file that is both is refused', () => {
    const both = { path: 'a', temporary: true, protected: true };
    expect(problemsOf({ name: 'w', jobs: [{ ...maker, outputs: [both] }, reader] })).toEqual([
      expect.stringContaining('error FATE_CONFLICT jobs[0].outputs[0].protected'),
    ]);
  });

  it('an input of a job takes neither word: only who makes a file decides what becomes of it', () => {
    expect(problemsOf({ name: 'w', jobs: [{ ...reader, inputs: [{ path: 'a', temporary: true }] }] })[0]).toContain(
      'FIELD_UNKNOWN',
    );
  });

  it('a KDL file says the same as a YAML file', () => {
    const kdl = `name "w"
file "b" path="b" protected=#true
job "make" {
  command "touch a b"
  output "a" temporary=#true
  output_file "b"
}
job "read" { command "cat a"; input "a" }
`;
    const { plan, problems } = readText(kdl, 'kdl');
    expect(problems).toEqual([]);
    const files = plan === undefined ? [] : [...each(plan.files)];
    expect(Object.fromEntries(files.map(({ path, fate }) => [path, Object.keys(fate).join()]))).toEqual({
      b: 'protected',
      a: 'temporary',
    });
  });
});
