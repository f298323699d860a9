import { detailViews } from './views/all.ts';
import { workflows } from './views/records.ts';
import type { View } from './views/view.ts';

/** A list on the screen: what is read of it, and what of that is shown. */
export interface ListState {
  readonly rows: readonly unknown[];
  /** The server has answered: without rows there are none. */
  readonly isRead: boolean;
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
  /** Jobs that were selected for the next key that acts on jobs. */
  readonly selected: ReadonlySet<number>;
}

/** A text on the screen: lines that are wrapped, not cut. */
export interface TextDialog {
  readonly kind: 'text';
  readonly title: string;
  readonly lines: readonly string[];
  /** The first line that is shown, of the wrapped ones; `end` stays at the last ones while more arrive. */
  readonly top: number | 'end';
  /** What is searched for, and which of the wrapped lines was found. */
  readonly find: string;
  readonly found: number | undefined;
  /** Where the lines come from, if they are read again while they are shown. */
  readonly source?: TextSource;
}

/** What a job wrote; with `orOther`, to the other stream where this one is empty. */
export interface JobText {
  readonly from: 'job';
  readonly jobId: number;
  readonly stream: 'stdout' | 'stderr';
  readonly orOther?: boolean;
}

export type TextSource = JobText | { readonly from: 'file'; readonly path: string };

export const otherStream = ({ jobId, stream }: JobText): JobText => ({
  from: 'job',
  jobId,
  stream: stream === 'stdout' ? 'stderr' : 'stdout',
});

export type Dialog =
  | TextDialog
  | { readonly kind: 'confirm'; readonly question: string; readonly effect: ScreenEffect };

/** A text that the user types. */
export interface Prompt {
  readonly kind: 'search' | 'filter' | 'find' | 'command';
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
  /** The terminal sends what the mouse does, and selects no text. */
  readonly hasMouse: boolean;
  readonly dialog: Dialog | undefined;
  readonly prompt: Prompt | undefined;
  readonly note: { readonly text: string; readonly isError: boolean } | undefined;
  /** Why the server does not answer. */
  readonly away: string | undefined;
}

/** What the program does because of a key. */
export type ScreenEffect =
  | { readonly do: 'load-workflows' | 'load-details' | 'quit' | 'suspend' | 'redraw' }
  | { readonly do: 'explain' | 'show' | 'show-workflow'; readonly id: number }
  | { readonly do: 'cancel'; readonly ids: readonly number[] }
  | { readonly do: 'mouse'; readonly isUsed: boolean }
  | { readonly do: 'read'; readonly source: TextSource }
  /** Runs `torc` with these words of a shell on the terminal, in place of this screen. */
  | { readonly do: 'run'; readonly words: string };

export const emptyList: ListState = {
  rows: [],
  isRead: false,
  total: 0,
  offset: 0,
  at: 0,
  sort: undefined,
  filter: undefined,
  search: '',
  selected: new Set(),
};

export const firstModel: Model = {
  pane: 'workflows',
  workflows: { ...emptyList, sort: { index: 0, isReverse: true } },
  workflow: undefined,
  viewIndex: 1,
  details: emptyList,
  isAllUsers: false,
  hasMouse: false,
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

export const withList = (model: Model, change: Partial<ListState>): Model => ({
  ...model,
  [model.pane]: { ...activeList(model), ...change },
});

export const noted = (model: Model, text: string): Model => ({ ...model, note: { text, isError: true } });

export const withText = (model: Model, title: string, lines: readonly string[]): Model => ({
  ...model,
  dialog: textDialog(title, lines),
});

export const textDialog = (title: string, lines: readonly string[]): TextDialog => ({
  kind: 'text',
  title,
  lines,
  top: 0,
  find: '',
  found: undefined,
});
