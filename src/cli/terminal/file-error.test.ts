import { mkdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fileErrorText } from './file-error.ts';

const errorOf = (work: () => unknown): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
};

it('an error of a file names what was to be done, the file and the reason in words', () => {
  expect(fileErrorText(errorOf(() => mkdirSync('/dev/null/x')))).toBe(
    'cannot make the folder /dev/null/x: a part of the path is a file, not a folder (ENOTDIR)',
  );
  expect(fileErrorText(errorOf(() => mkdirSync('/proc/none')))).toBe(
    'cannot make the folder /proc/none: no folder can be made there (ENOENT)',
  );
  expect(fileErrorText(errorOf(() => readFileSync('/')))).toBe('cannot read: it is a folder, not a file (EISDIR)');
  expect(fileErrorText(errorOf(() => readFileSync('/none')))).toBe(
    'cannot open /none: there is no such file or folder (ENOENT)',
  );
});

it('other errors are not errors of files', () => {
  expect(fileErrorText(new TypeError('x is not a function'))).toBeUndefined();
  expect(
    fileErrorText(Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' })),
  ).toBeUndefined();
  expect(fileErrorText('ENOENT')).toBeUndefined();
});
