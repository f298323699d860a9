import type { KeyName } from '../keys.ts';
import { type Model, noted, otherStream, type TextDialog } from '../model.ts';
import { type Size, textLines, topOf } from '../layout.ts';
import { JUMP_LINES, only, type PressResult } from './step.ts';

/** A key while a text is shown. */
export function pressInText(given: Model, dialog: TextDialog, key: KeyName, size: Size): PressResult {
  const model: Model = { ...given, note: undefined };
  const { top, last } = topOf(dialog, model, size);
  const to = (wanted: number) => {
    const next = Math.max(0, Math.min(last, wanted));
    // At the end it stays there while more lines arrive.
    return only({ ...model, dialog: { ...dialog, top: next === last && dialog.source !== undefined ? 'end' : next } });
  };
  const { source } = dialog;
  switch (key) {
    case 'up':
      return to(top - 1);
    case 'down':
      return to(top + 1);
    case 'pgup':
      return to(top - JUMP_LINES);
    case 'pgdn':
    case ' ':
      return to(top + JUMP_LINES);
    case 'g':
    case 'home':
      return to(0);
    case 'G':
    case 'end':
      return to(last);
    case '/':
      return only({ ...model, prompt: { kind: 'find', filterIndex: 0, text: '' } });
    case 'n':
    case 'N':
      return dialog.find === '' ? only(model) : findIn(model, dialog, key === 'n' ? 1 : -1, size);
    case 'tab':
    case 'shift-tab':
      return source?.from === 'job' ? only(model, { do: 'read', source: otherStream(source) }) : only(model);
    case 'esc':
    case 'q':
    case 'enter':
    case '?':
      return only({ ...model, dialog: undefined });
    default:
      return only(model);
  }
}

/** Goes to the next line with the text that is searched for, or to the one before; from the end on from the beginning. */
export function findIn(model: Model, dialog: TextDialog, direction: 1 | -1, size: Size): PressResult {
  const lines = textLines(dialog, size);
  const { top, last } = topOf(dialog, model, size);
  const needle = dialog.find.toLowerCase();
  const from = dialog.found ?? top - direction;
  for (let passed = 1; passed <= lines.length; passed += 1) {
    const found = (from + direction * passed + lines.length * 2) % lines.length;
    if (lines[found]?.toLowerCase().includes(needle) !== true) continue;
    return only({ ...model, dialog: { ...dialog, found, top: Math.min(found, last) } });
  }
  return only(noted({ ...model, dialog: { ...dialog, find: '', found: undefined } }, `no line has "${dialog.find}"`));
}
