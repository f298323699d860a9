import { describe, expect, it, test } from 'vitest';
import { type ScreenEffect, firstModel, type Model, shownRows, viewOf } from '../model.ts';
import { press } from './press.ts';
import { detailViews } from '../views/all.ts';

const job = (id: number, name = `job_${id}`, status = 'ready') => ({
  id,
  workflow_id: 1,
  name,
  command: 'true',
  status,
});
const opened: Model = {
  ...firstModel,
  pane: 'details',
  workflow: { id: 1, name: 'flow' },
  details: { ...firstModel.details, rows: [job(1), job(2), job(3, 'last', 'failed')], total: 600 },
};

function typed(model: Model, ...keys: string[]): { model: Model; effects: ScreenEffect[] } {
  const effects: ScreenEffect[] = [];
  let now = model;
  for (const key of keys) {
    const step = press(now, key, 0, { width: 80, height: 24 });
    now = step.model;
    effects.push(...step.effects);
  }
  return { model: now, effects };
}

const names = ({ viewIndex, details }: Model) =>
  shownRows(detailViews[viewIndex] as never, details, 0).map((row) => (row as { name: string }).name);

const letters = (text: string) => Array.from(text);

describe('the list', () => {
  test.each([
    [['down', 'down', 'down'], 2],
    [['down', 'up', 'up'], 0],
    [['G', 'g'], 0],
    [['pgdn'], 2],
  ])('after the keys %j row %d is selected: selection stays within the rows', (keys, at) => {
    expect(typed(opened, ...keys).model.details.at).toBe(at);
  });

  it('] and [ read the next and the previous 250 rows, and nothing beyond the ends', () => {
    const next = typed(opened, ']');
    expect([next.model.details.offset, next.effects]).toEqual([250, [{ do: 'load-details' }]]);
    expect(typed(opened, ']', ']', ']').model.details.offset).toBe(500);
    expect(typed(opened, '[').effects).toEqual([]);
  });

  it('a number key sorts from the greatest, then from the least, then not at all', () => {
    const sort = (...keys: string[]) => typed(opened, ...keys).model.details.sort;
    expect(sort('2')).toEqual({ index: 1, isReverse: true });
    expect(sort('2', '2')).toEqual({ index: 1, isReverse: false });
    expect(sort('2', '2', '2')).toBeUndefined();
    expect(sort('9')).toBeUndefined();
  });
});

describe('search and filter', () => {
  it('/ shows the rows that contain the text in any cell, and c shows all again', () => {
    const found = typed(opened, '/', 'L', 'a', 's', 'x', 'backspace', 't', 'enter');
    expect(names(found.model)).toEqual(['last']);
    expect(names(typed(found.model, 'c').model)).toHaveLength(3);
  });

  it('f asks the server for a status by a part of its name, and refuses a part that several statuses have', () => {
    const { model, effects } = typed(opened, 'f', 't', 'e', 'r', 'm', 'enter');
    expect([model.details.filter, effects]).toEqual([{ index: 0, text: 'term' }, [{ do: 'load-details' }]]);
    const refused = typed(opened, 'f', 'f', 'a', 'i', 'l', 'enter');
    expect(refused.model.note?.text).toBe('several statuses contain "fail": failed, pending_failed');
    expect(refused.effects).toEqual([]);
    expect(typed(opened, 'f', 'f', 'a', 'i', 'l', 'e', 'd', 'enter').model.details.filter?.text).toBe('failed');
  });

  it('Tab selects another column of the filter, Escape ends it, and = filters by the selected row', () => {
    expect(typed(opened, 'f', 'tab', 'x', 'enter').model.details.filter).toEqual({ index: 1, text: 'x' });
    expect(typed(opened, 'f', 'x', 'esc').model).toMatchObject({ prompt: undefined, details: { filter: undefined } });
    expect(typed(opened, 'G', '=').model.details.filter).toEqual({ index: 0, text: 'failed' });
  });

  it('a key that is typed into a text does nothing else', () => {
    expect(typed(opened, '/', 'q', 'C').effects).toEqual([]);
  });
});

describe('jobs', () => {
  it('C cancels the selected job only after y', () => {
    expect(typed(opened, 'down', 'C').effects).toEqual([]);
    expect(typed(opened, 'down', 'C', 'y').effects).toEqual([{ do: 'cancel', ids: [2] }]);
    expect(typed(opened, 'down', 'C', 'n', 'y').effects).toEqual([]);
  });

  it('w explains the job of a row, and says so where a row has none', () => {
    expect(typed(opened, 'w').effects).toEqual([{ do: 'explain', id: 1 }]);
    const results = { ...opened, viewIndex: 3, details: { ...opened.details, rows: [{ ...job(9), job_id: 5 }] } };
    expect(typed(results, 'w').effects).toEqual([{ do: 'explain', id: 5 }]);
    const filesOpen = { ...opened, viewIndex: 4 };
    expect(typed(filesOpen, 'w').model.note?.text).toContain('select a job first');
  });
});

it('Tab goes through all views and back to the first, and Shift-Tab the other way', () => {
  const seen = detailViews.map((_, at) => viewOf(typed(opened, ...Array.from({ length: at }, () => 'tab')).model).name);
  expect(new Set(seen).size).toBe(detailViews.length);
  expect(typed(opened, ...detailViews.map(() => 'tab')).model.viewIndex).toBe(opened.viewIndex);
  expect(typed(opened, 'tab', 'shift-tab').model.viewIndex).toBe(opened.viewIndex);
});

it('Enter opens the selected workflow, and q and Ctrl-C quit, Ctrl-C also while a text is typed', () => {
  const listed = { ...firstModel, workflows: { ...firstModel.workflows, rows: [{ id: 4, name: 'flow' }] } };
  const { model, effects } = typed(listed, 'enter');
  expect([model.workflow, model.pane, effects]).toEqual([{ id: 4, name: 'flow' }, 'details', [{ do: 'load-details' }]]);
  expect(typed(opened, 'q').effects).toEqual([{ do: 'quit' }]);
  expect(typed(opened, '/', 'ctrl-c').effects).toEqual([{ do: 'quit' }]);
});

it('Enter opens a workflow with failed jobs on these jobs', () => {
  const row = { id: 4, name: 'flow', standing: { failed: 2 } };
  const { model } = typed(
    { ...firstModel, viewIndex: 4, workflows: { ...firstModel.workflows, rows: [row] } },
    'enter',
  );
  expect([viewOf(model).name, model.details.filter]).toEqual(['Jobs', { index: 0, text: 'failed' }]);
});

describe('several jobs', () => {
  const selected = (...keys: string[]) => [...typed(opened, ...keys).model.details.selected];

  it('Space selects the job of the row and goes to the next, a second Space takes it back, and * selects all or none', () => {
    expect(selected(' ', ' ')).toEqual([1, 2]);
    expect(typed(opened, ' ').model.details.at).toBe(1);
    expect(selected(' ', 'up', ' ')).toEqual([]);
    expect(selected('*')).toEqual([1, 2, 3]);
    expect(selected('*', '*')).toEqual([]);
    expect(selected('/', 'l', 'a', 's', 't', 'enter', '*')).toEqual([3]);
  });

  it('C and t cancel all selected jobs after y, and U writes the command that runs them again', () => {
    expect(typed(opened, ' ', ' ', 'C', 'y').effects).toEqual([{ do: 'cancel', ids: [1, 2] }]);
    expect(typed(opened, 'G', 't', 'y').effects).toEqual([{ do: 'cancel', ids: [3] }]);
    expect(typed(opened, ' ', ' ', 'U').model.prompt?.text).toBe('jobs reset-status 1 2 --reinit');
    expect(typed(opened, ' ', ' ', 'U').effects).toEqual([]);
  });

  it('c and another view end the selection', () => {
    expect(selected('*', 'c')).toEqual([]);
    expect(selected('*', 'tab', 'shift-tab')).toEqual([]);
  });
});

describe('commands', () => {
  test.each([
    ['x', 'run 1'],
    ['s', 'submit 1'],
    ['i', 'workflows init 1'],
    ['I', 'workflows reinit 1'],
    ['R', 'workflows reset-status 1'],
    ['W', 'watch 1 --recover'],
    ['V', 'recover 1'],
    ['v', 'recover 1 --dry-run'],
    ['d', 'delete 1'],
    ['n', 'create '],
    [':', ''],
  ])('%s writes "torc %s" and runs nothing until Enter', (key, text) => {
    const { model, effects } = typed(opened, key);
    expect([model.prompt?.text, effects]).toEqual([text, []]);
    expect(typed(opened, key, 'esc', 'enter').effects).toEqual([{ do: 'show', id: 1 }]);
    expect(typed(opened, key, ...letters('9 -x'), 'enter').effects).toEqual([
      { do: 'run', words: `${text}9 -x`.trim() },
    ]);
  });

  it('in the list of workflows they mean the selected one, and without one they say so', () => {
    const listed = { ...firstModel, workflows: { ...firstModel.workflows, rows: [{ id: 4, name: 'flow' }] } };
    expect(typed(listed, 'x').model.prompt?.text).toBe('run 4');
    expect(typed(listed, 'C').model.prompt?.text).toBe('cancel 4');
    expect(typed(listed, 'D').effects).toEqual([{ do: 'show-workflow', id: 4 }]);
    expect(typed(firstModel, 'x').model).toMatchObject({
      prompt: undefined,
      note: { text: 'select a workflow first' },
    });
  });

  it('Ctrl-U clears what is typed, Ctrl-W its last word, and a command may begin with torc', () => {
    expect(typed(opened, 'v', 'ctrl-w').model.prompt?.text).toBe('recover 1 ');
    expect(typed(opened, 'v', 'ctrl-u', ...letters('torc ping'), 'enter').effects).toEqual([
      { do: 'run', words: 'ping' },
    ]);
  });
});

describe('a text', () => {
  const lines = Array.from({ length: 100 }, (_, at) => `line ${at + 1}`);
  const source = { from: 'job', jobId: 1, stream: 'stdout' } as const;
  const text: Model = {
    ...opened,
    dialog: { kind: 'text', title: 'out', lines, top: 'end', find: '', found: undefined, source },
  };
  const top = (...keys: string[]) => (typed(text, ...keys).model.dialog as { top: unknown }).top;

  it('a text stays at its end while lines arrive, until one moves in it', () => {
    expect(top()).toBe('end');
    expect([top('up'), top('up', 'down'), top('g'), top('g', 'pgdn'), top('G')]).toEqual([83, 'end', 0, 20, 'end']);
  });

  it('/ goes to the next line with the words, n and N further, and round at the ends', () => {
    const found = (...keys: string[]) => (typed(text, 'g', ...keys).model.dialog as { found: unknown }).found;
    const search = ['/', ...letters('line 9'), 'enter'];
    expect([found(...search), found(...search, 'n'), found(...search, 'N')]).toEqual([8, 89, 98]);
    const none = typed(text, '/', ...letters('absent'), 'enter').model;
    expect([none.note?.text, none.dialog]).toEqual(['no line has "absent"', expect.objectContaining({ find: '' })]);
  });

  it('Tab reads the other stream of a job, and Escape closes the text', () => {
    expect(typed(text, 'tab').effects).toEqual([{ do: 'read', source: { ...source, stream: 'stderr' } }]);
    expect(typed(text, 'esc').model.dialog).toBeUndefined();
  });
});

it('Enter on a family shows its jobs, and Enter on a file reads it', () => {
  const dag = detailViews.findIndex(({ name }) => name === 'DAG');
  const row = { key: 'k', name: 'map_#', first_job_id: 1, jobs: 2, jobs_by_status: {}, layer: 0, after: [] };
  const { model } = typed({ ...opened, viewIndex: dag, details: { ...opened.details, rows: [row] } }, 'enter');
  expect([
    viewOf(model).name,
    viewOf(model).filters[model.details.filter?.index ?? 0]?.title,
    model.details.filter?.text,
  ]).toEqual(['Jobs', 'Family', 'map_#']);
  const file = { ...opened, viewIndex: 4, details: { ...opened.details, rows: [{ id: 1, name: 'f', path: 'out/f' }] } };
  expect(typed(file, 'enter').effects).toEqual([{ do: 'read', source: { from: 'file', path: 'out/f' } }]);
});
