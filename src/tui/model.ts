import type { Key } from './keys.ts';
import { EVENTS, detailViews } from './views/all.ts';
import { workflows } from './views/records.ts';
import { PAGE_ROWS, type View } from './views/view.ts';

/** A list on the screen: what is read of it, and what of that is shown. */
export interface ListState {
  readonly rows: readonly unknown[];
  /** Rows that the server has for the filter. */
  readonly total: number;
  readonly offset: number;
  /** The selected row of `rows`. */
  readonly at: number;
  /** Index of a sort, and whether the greatest stands first. */
  readonly sort: { readonly index: number; readonly isReverse: boolean } | undefined;
  readonly filter: { readonly index: number; readonly text: string } | undefined;
  /** Only rows with this text in one of their cells. */
  readonly search: string;
}

export type Dialog =
  | { readonly kind: 'text'; readonly title: string; readonly lines: readonly string[]; readonly top: number }
  | { readonly kind: 'confirm'; readonly question: string; readonly effect: Effect };

/** A text that the user types. */
export interface Prompt {
  readonly kind: 'search' | 'filter';
  readonly filterIndex: number;
  readonly text: string;
}

export interface Model {
  readonly pane: 'workflows' | 'details';
  readonly workflows: ListState;
  /** The workflow whose details are shown. */
  readonly workflow: { readonly id: number; readonly name: string } | undefined;
  readonly viewIndex: number;
  readonly details: ListState;
  readonly isAllUsers: boolean;
  readonly dialog: Dialog | undefined;
  readonly prompt: Prompt | undefined;
  readonly note: { readonly text: string; readonly isError: boolean } | undefined;
  /** Why the server does not answer. */
  readonly away: string | undefined;
}

/** What the program does because of a key. */
export type Effect =
  | { readonly do: 'load-workflows' | 'load-details' | 'quit' | 'suspend' | 'redraw' }
  | { readonly do: 'explain' | 'cancel' | 'show'; readonly id: number };

export const emptyList: ListState = {
  rows: [],
  total: 0,
  offset: 0,
  at: 0,
  sort: undefined,
  filter: undefined,
  search: '',
};

export const firstModel: Model = {
  pane: 'workflows',
  workflows: { ...emptyList, sort: { index: 0, isReverse: true } },
  workflow: undefined,
  viewIndex: 1,
  details: emptyList,
  isAllUsers: false,
  dialog: undefined,
  prompt: undefined,
  note: undefined,
  away: undefined,
};

export const viewOf = (model: Model): View => detailViews[model.viewIndex] as View;
/** The view and the list that the keys act on. */
export const activeView = (model: Model): View => (model.pane === 'workflows' ? workflows : viewOf(model));
export const activeList = (model: Model): ListState => model[model.pane];

/** The rows that are shown: sorted and filtered where the server does not do that. */
export function shownRows(view: View, list: ListState, nowMs: number): readonly unknown[] {
  const { filter, search, sort } = list;
  const wanted = filter === undefined ? undefined : view.filters[filter.index];
  const text = (filter?.text ?? '').toLowerCase();
  const needle = search.toLowerCase();
  const found = list.rows.filter(
    (row) =>
      (wanted?.query !== undefined || wanted?.text === undefined || wanted.text(row).toLowerCase().includes(text)) &&
      (needle === '' || view.columns.some((column) => column.text(row, nowMs).toLowerCase().includes(needle))),
  );
  const by = sort === undefined ? undefined : view.sorts[sort.index]?.value;
  if (by === undefined || sort === undefined) return found;
  const sign = sort.isReverse ? -1 : 1;
  return found.toSorted((a, b) => {
    const [one, other] = [by(a), by(b)];
    return sign * (one < other ? -1 : one > other ? 1 : 0);
  });
}

/** Rows that PgUp and PgDn pass, as in Torc 1.0.0. */
const JUMP = 10;

interface Step {
  readonly model: Model;
  readonly effects: readonly Effect[];
}

const only = (model: Model, ...effects: Effect[]): Step => ({ model, effects });
const load = (model: Model): Effect => ({ do: model.pane === 'workflows' ? 'load-workflows' : 'load-details' });

/** What a key does. */
export function press(given: Model, key: Key, nowMs: number): Step {
  if (key === 'ctrl-c') return only(given, { do: 'quit' });
  if (key === 'ctrl-z') return only(given, { do: 'suspend' });
  if (key === 'ctrl-l') return only(given, { do: 'redraw' });
  if (given.prompt !== undefined) return pressInPrompt(given, given.prompt, key);
  if (given.dialog !== undefined) return pressInDialog(given, given.dialog, key);
  const model: Model = { ...given, note: undefined };
  const list = activeList(model);
  const rows = shownRows(activeView(model), list, nowMs);
  const moveTo = (at: number) => only(withList(model, { at: Math.max(0, Math.min(rows.length - 1, at)) }));
  switch (key) {
    case 'up':
      return moveTo(list.at - 1);
    case 'down':
      return moveTo(list.at + 1);
    case 'pgup':
      return moveTo(list.at - JUMP);
    case 'pgdn':
      return moveTo(list.at + JUMP);
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
      return byRow(model, rows[list.at]);
    case 'c': {
      const cleared = withList(model, { filter: undefined, search: '', at: 0, offset: 0 });
      return only(cleared, load(model));
    }
    case 'enter':
      return entered(model, rows[list.at]);
    case 'w':
    case 'C':
      return onJob(model, rows[list.at], key);
    default:
      return /^[1-9]$/.test(key) ? sorted(model, Number(key) - 1) : only(model);
  }
}

const withList = (model: Model, change: Partial<ListState>): Model => ({
  ...model,
  [model.pane]: { ...activeList(model), ...change },
});

const noted = (model: Model, text: string): Model => ({ ...model, note: { text, isError: true } });

export const withText = (model: Model, title: string, lines: readonly string[]): Model => ({
  ...model,
  dialog: { kind: 'text', title, lines, top: 0 },
});

function toView(model: Model, viewIndex: number): Step {
  return only({ ...model, viewIndex, pane: 'details', details: emptyList }, { do: 'load-details' });
}

function paged(model: Model, by: number): Step {
  const { offset, total } = activeList(model);
  const next = offset + by;
  if (next < 0 || next >= total) return only(model);
  const moved = withList(model, { offset: next, at: 0 });
  return only(moved, load(model));
}

/** A number key sorts from the greatest, then from the least, then not at all. */
function sorted(model: Model, index: number): Step {
  const { sort } = activeList(model);
  if (activeView(model).sorts[index] === undefined) return only(model);
  const next =
    sort?.index !== index ? { index, isReverse: true } : sort.isReverse ? { index, isReverse: false } : undefined;
  const changed = withList(model, { sort: next, at: 0, offset: 0 });
  return only(changed, load(model));
}

function entered(model: Model, row: unknown): Step {
  if (row === undefined) return only(model);
  const view = activeView(model);
  const id = view.idOf(row);
  if (model.pane === 'details') return only(model, { do: 'show', id: view.jobOf?.(row) ?? id });
  const { name } = row as { readonly name: string };
  const opened: Model = { ...model, workflow: { id, name }, pane: 'details', details: emptyList };
  return only(opened, { do: 'load-details' });
}

function onJob(model: Model, row: unknown, key: 'w' | 'C'): Step {
  const id = row === undefined ? undefined : activeView(model).jobOf?.(row);
  if (id === undefined)
    return only(noted(model, 'select a job first: in the views Jobs, Running, Results or Slurm Stats'));
  if (key === 'w') return only(model, { do: 'explain', id });
  const dialog: Dialog = { kind: 'confirm', question: `Cancel job ${id}?`, effect: { do: 'cancel', id } };
  return only({ ...model, dialog });
}

/** Filters by what the selected row has: by its status, or by the user of a workflow. */
function byRow(model: Model, row: unknown): Step {
  const { filters } = activeView(model);
  const index = filters.findIndex(({ text }) => text !== undefined);
  const text = row === undefined ? undefined : filters[index]?.text?.(row);
  return text === undefined ? only(model) : filtered(model, index, text);
}

function filtered(model: Model, index: number, text: string): Step {
  const filter = activeView(model).filters[index];
  try {
    filter?.query?.(text);
  } catch (error) {
    return only(noted(model, (error as Error).message));
  }
  const changed = withList(model, { filter: text === '' ? undefined : { index, text }, at: 0, offset: 0 });
  return only(changed, load(model));
}

function pressInPrompt(model: Model, prompt: Prompt, key: Key): Step {
  const typed = (text: string) => only({ ...model, prompt: { ...prompt, text } });
  const { filters } = activeView(model);
  switch (key) {
    case 'esc':
      return only({ ...model, prompt: undefined });
    case 'backspace':
      return typed(prompt.text.slice(0, -1));
    case 'tab':
    case 'shift-tab':
      return only({
        ...model,
        prompt: { ...prompt, filterIndex: (prompt.filterIndex + 1) % Math.max(1, filters.length) },
      });
    case 'enter': {
      const closed: Model = { ...model, prompt: undefined, note: undefined };
      return prompt.kind === 'search'
        ? only(withList(closed, { search: prompt.text, at: 0 }))
        : filtered(closed, prompt.filterIndex, prompt.text);
    }
    default:
      return /^.$/u.test(key) ? typed(prompt.text + key) : only(model);
  }
}

function pressInDialog(model: Model, dialog: Dialog, key: Key): Step {
  const closed: Model = { ...model, dialog: undefined };
  if (dialog.kind === 'confirm') {
    if (key === 'y') return only(closed, dialog.effect);
    return key === 'n' || key === 'esc' || key === 'q' ? only(closed) : only(model);
  }
  const last = Math.max(0, dialog.lines.length - 1);
  const to = (top: number) => only({ ...model, dialog: { ...dialog, top: Math.max(0, Math.min(last, top)) } });
  switch (key) {
    case 'up':
      return to(dialog.top - 1);
    case 'down':
      return to(dialog.top + 1);
    case 'pgup':
      return to(dialog.top - JUMP);
    case 'pgdn':
      return to(dialog.top + JUMP);
    case 'g':
      return to(0);
    case 'G':
      return to(last);
    case 'esc':
    case 'q':
    case 'enter':
    case '?':
      return only(closed);
    default:
      return only(model);
  }
}

/** The keys, one a line: the help and the page of the docs show them. */
export const HELP: readonly string[] = [
  '↑ ↓ PgUp PgDn g G   move in the list',
  '← →                 workflows, details of the workflow',
  'Tab Shift-Tab       next and previous view',
  '[ ]                 previous and next 250 rows',
  'Enter               open the workflow; show the selected row',
  '1 to 9              sort: greatest first, least first, not at all',
  '/                   search in the rows of the page',
  'f                   filter by a column; Tab selects the column',
  '=                   filter by what the selected row has',
  'c                   clear filter and search',
  'a                   workflows of all users, or of you alone',
  'w                   why: explain the selected job',
  'C                   cancel the selected job',
  'e                   events',
  'r                   read everything again',
  'Ctrl-L Ctrl-Z       draw again; suspend',
  'q Ctrl-C            quit',
];
