import type { KeyName } from '../keys.ts';
import { activeList, activeView, type Model, noted, shownRows, withList, withText } from '../model.ts';
import type { Size } from '../layout.ts';
import { EVENTS, detailViews } from '../views/all.ts';
import { PAGE_ROWS } from '../views/view.ts';
import { commandFor } from './command-keys.ts';
import { HELP } from './help.ts';
import { pressInPrompt } from './in-prompt.ts';
import { pressInText } from './in-text.ts';
import { click } from './click.ts';
import { entered, filterByRow, sorted, toView } from './on-list.ts';
import { onJobs, select, selectAll } from './on-jobs.ts';
import { JUMP_ROWS, load, only, type PressResult } from './step.ts';

export function press(given: Model, key: KeyName, nowMs: number, size: Size): PressResult {
  if (key === 'ctrl-c') return only(given, { do: 'quit' });
  if (key === 'ctrl-z') return only(given, { do: 'suspend' });
  if (key === 'ctrl-l') return only(given, { do: 'redraw' });
  if (key === 'wheel-up' || key === 'wheel-down') return wheel(given, key, nowMs, size);
  if (key.startsWith('click ')) return click(given, key, nowMs, size);
  if (given.prompt !== undefined) return pressInPrompt(given, given.prompt, key, size);
  if (given.dialog?.kind === 'text') return pressInText(given, given.dialog, key, size);
  if (given.dialog !== undefined) {
    const closed: Model = { ...given, dialog: undefined };
    if (key === 'y') return only(closed, given.dialog.effect);
    return key === 'n' || key === 'esc' || key === 'q' ? only(closed) : only(given);
  }
  return pressInList({ ...given, note: undefined }, key, nowMs);
}

function pressInList(model: Model, key: KeyName, nowMs: number): PressResult {
  const list = activeList(model);
  const rows = shownRows(activeView(model), list, nowMs);
  const row = rows[list.at];
  const moveTo = (at: number) => only(withList(model, { at: Math.max(0, Math.min(rows.length - 1, at)) }));
  switch (key) {
    case 'up':
      return moveTo(list.at - 1);
    case 'down':
      return moveTo(list.at + 1);
    case 'pgup':
      return moveTo(list.at - JUMP_ROWS);
    case 'pgdn':
      return moveTo(list.at + JUMP_ROWS);
    case 'g':
    case 'home':
      return moveTo(0);
    case 'G':
    case 'end':
      return moveTo(rows.length - 1);
    case 'left':
      return only({ ...model, pane: 'workflows' });
    case 'right':
      return only({ ...model, pane: 'details' });
    case 'tab':
    case 'shift-tab': {
      const step = key === 'tab' ? 1 : detailViews.length - 1;
      return toView(model, (model.viewIndex + step) % detailViews.length);
    }
    case 'e':
      return toView(model, EVENTS);
    case '[':
    case ']':
      return paged(model, key === ']' ? PAGE_ROWS : -PAGE_ROWS);
    case 'm':
      return only({ ...model, hasMouse: !model.hasMouse }, { do: 'mouse', isUsed: !model.hasMouse });
    case 'q':
      return only(model, { do: 'quit' });
    case '?':
      return only(withText(model, 'Keys', HELP));
    case 'r':
      return only(model, { do: 'load-workflows' }, { do: 'load-details' });
    case 'a':
      return only({ ...model, isAllUsers: !model.isAllUsers, pane: 'workflows' }, { do: 'load-workflows' });
    case '/':
      return only({ ...model, prompt: { kind: 'search', filterIndex: 0, text: list.search } });
    case 'f':
      return activeView(model).filters.length === 0
        ? only(noted(model, 'this view has no filter; / searches its rows'))
        : only({ ...model, prompt: { kind: 'filter', filterIndex: list.filter?.index ?? 0, text: '' } });
    case '=':
      return filterByRow(model, row);
    case 'c': {
      const cleared = withList(model, { filter: undefined, search: '', at: 0, offset: 0, selected: new Set() });
      return only(cleared, load(model));
    }
    case 'enter':
      return entered(model, row);
    case ' ':
      return select(model, row);
    case '*':
      return selectAll(model, rows);
    case 'w':
    case 'l':
    case 'C':
    case 't':
    case 'y':
    case 'U':
      return onJobs(model, row, key);
    case ':':
      return only({ ...model, prompt: { kind: 'command', filterIndex: 0, text: '' } });
    default:
      return /^[1-9]$/.test(key) ? sorted(model, Number(key) - 1) : commandFor(model, row, key);
  }
}

function paged(model: Model, by: number): PressResult {
  const { offset, total } = activeList(model);
  const next = offset + by;
  if (next < 0 || next >= total) return only(model);
  return only(withList(model, { offset: next, at: 0 }), load(model));
}

/** A turn of the wheel is this many presses of an arrow. */
const WHEEL_ROWS = 3;

function wheel(model: Model, key: KeyName, nowMs: number, size: Size): PressResult {
  if (model.prompt !== undefined || model.dialog?.kind === 'confirm') return only(model);
  let now = model;
  for (let row = 0; row < WHEEL_ROWS; row += 1) now = press(now, key === 'wheel-up' ? 'up' : 'down', nowMs, size).model;
  return only(now);
}
