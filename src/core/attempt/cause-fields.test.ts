import { expect, it } from 'vitest';
import { causeFields } from './cause-fields.ts';

const known = { peakBytes: 0, askedBytes: Infinity };
const failed = (cause: Parameters<typeof causeFields>[0]['cause']) =>
  ({ status: 'failed', returnCode: 1, cause }) as const;

it('a success without a cause records none, whatever the batch system said', () => {
  expect(causeFields({ status: 'completed', returnCode: 0 }, known, 'Slurm: CANCELLED')).toEqual({});
});

it('the words of the batch system stand with the cause, and an own end has no words', () => {
  expect(causeFields(failed('node'), known, 'its node is gone')).toEqual({
    cause_code: 'node',
    cause: 'its node is gone',
  });
  expect(causeFields(failed('exit'), known, undefined)).toEqual({ cause_code: 'exit' });
});

it('a missing output is recorded with its path, and many of them with the number of the others', () => {
  const paths = Array.from({ length: 7 }, (_, index) => `out/${index}.csv`);
  expect(causeFields(failed('missing_output'), { ...known, missingOutputs: paths.slice(0, 1) }, undefined).cause).toBe(
    'out/0.csv',
  );
  expect(causeFields(failed('missing_output'), { ...known, missingOutputs: paths }, undefined).cause).toBe(
    'out/0.csv, out/1.csv, out/2.csv, out/3.csv, out/4.csv and 2 more',
  );
});

it('a job that was killed for its memory is recorded with what it used and asked for, if both are known', () => {
  const used = { peakBytes: 3 * 2 ** 20, askedBytes: 2 ** 20 };
  expect(causeFields(failed('memory'), used, 'Slurm: OUT_OF_MEMORY').cause).toBe(
    'Slurm: OUT_OF_MEMORY; it used 3 of 1 MiB',
  );
  expect(causeFields(failed('memory'), { ...used, askedBytes: Infinity }, undefined)).toEqual({ cause_code: 'memory' });
});

it('a failure while its output had no room is recorded with what there was too little of', () => {
  expect(causeFields(failed('disk'), { ...known, shortage: 'space' }, undefined).cause).toBe(
    'the disk of its output was full when it ended',
  );
});
