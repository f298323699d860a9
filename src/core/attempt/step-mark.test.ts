import { expect, it } from 'vitest';
import { isMarkFolderOf, markFolderOf, NO_MARK, parseMark } from './step-mark.ts';

const ends = '0000000000000004 0000000000010002';
const handles = '0000000000000004 0000000000014002';

it.each<[string, string, object]>([
  ['began', 'began\n', { began: true, code: undefined, asked: undefined }],
  ['began on a full disk', '', { began: true, code: undefined }],
  ['ended', 'began\nended 7 12\n', { began: true, code: 7, seconds: 12, asked: undefined }],
  [
    'was asked to end and ended',
    `began\nCONT ${ends} 3\nTERM 3\nended 0 3\n`,
    { code: 0, asked: { isHandled: false } },
  ],
  ['handled the signal', `began\nTERM ${handles} 3\nended 0 9\n`, { asked: { isHandled: true, isCertain: true } }],
  ['was gone when the signal came', `began\nTERM 3\nended 0 3\n`, { asked: { isHandled: false } }],
  ['was continued after a pause, and ended later', `began\nCONT ${ends} 3\nended 0 60\n`, { asked: undefined }],
  ['was asked to end and goes on', `began\nTERM ${handles} 3\n`, { code: undefined, asked: { isCertain: true } }],
  [
    'handled it when it was continued, and was gone when the signal came',
    `began\nCONT ${handles} 3\nTERM 3\nended 0 3\n`,
    { asked: { isHandled: true } },
  ],
  ['was ending when it was looked at', `began\nTERM 0000000000014002 3\nended 0 3\n`, { asked: { isHandled: false } }],
  ['lost the end of its last line', 'began\nended 7', { began: true, code: undefined }],
  ['was signaled when its command had ended', 'began\nended 0 3\nTERM 3\n', { code: 0, asked: undefined }],
])('the mark of a step that %s is read', (_, text, expected) => {
  expect(parseMark(text)).toMatchObject(expected);
});

it('without a mark nothing is known to have begun', () => {
  expect(NO_MARK).toMatchObject({ began: false, code: undefined });
});

it('the folder of marks names the allocation, and no other one', () => {
  const name = markFolderOf(4, 12, 99);
  expect(isMarkFolderOf(name, 4, 12)).toBe(true);
  expect(isMarkFolderOf(name, 4, 1)).toBe(false);
  expect(isMarkFolderOf(name, 42, 12)).toBe(false);
});
