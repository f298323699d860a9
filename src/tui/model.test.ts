import { describe, expect, it, test } from 'vitest';
import { type Effect, firstModel, type Model, press, shownRows, viewOf } from './model.ts';
import { detailViews } from './views/all.ts';

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

function typed(model: Model, ...keys: string[]): { model: Model; effects: Effect[] } {
  const effects: Effect[] = [];
  let now = model;
  for (const key of keys) {
    const step = press(now, key, 0);
    now = step.model;
    effects.push(...step.effects);
  }
  return { model: now, effects };
}

const names = ({ viewIndex, details }: Model) =>
  shownRows(detailViews[viewIndex] as never, details, 0).map((row) => (row as { name: string }).name);

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
    expect(typed(opened, 'down', 'C', 'y').effects).toEqual([{ do: 'cancel', id: 2 }]);
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
