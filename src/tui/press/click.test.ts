import fc from 'fast-check';
import { expect, it } from 'vitest';
import { screenOf, screenText } from '../cells.ts';
import { firstModel, type Model } from '../model.ts';
import { paint } from '../paint.ts';
import { detailViews } from '../views/all.ts';
import { press } from './press.ts';

const names = (what: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    workflow_id: 1,
    name: `${what}_${at}.`,
    command: 'true',
    user: 'ada',
    description: '',
    status: 'ready',
  }));

function model(workflows: number, jobs: number, at: number): Model {
  return {
    ...firstModel,
    pane: 'details',
    workflow: { id: 1, name: 'flow' },
    workflows: { ...firstModel.workflows, rows: names('flow', workflows), total: workflows },
    details: { ...firstModel.details, rows: names('job', jobs), total: jobs, at: Math.min(at, Math.max(0, jobs - 1)) },
  };
}
const size = { width: 80, height: 24 };
const drawn = (given: Model, of: typeof size) =>
  screenText(screenOf(paint(given, of, 'http://login1', 0), of, { hasColours: true, hasUnicode: true })).split('\n');

it('a click on a row selects the row that is drawn there, in both lists, on a screen of any size', () => {
  fc.assert(
    fc.property(
      fc.record({
        workflows: fc.integer({ min: 1, max: 30 }),
        jobs: fc.integer({ min: 0, max: 90 }),
        at: fc.nat(90),
        width: fc.integer({ min: 60, max: 200 }),
        height: fc.integer({ min: 12, max: 80 }),
        line: fc.nat(79),
      }),
      ({ workflows, jobs, at, width, height, line }) => {
        const given = model(workflows, jobs, at);
        const text = drawn(given, { width, height })[line] ?? '';
        const [, list, number] = /(flow|job)_(\d+)\./.exec(text) ?? [];
        const { model: next, effects } = press(given, `click 5 ${line}`, 0, { width, height });
        if (list === undefined && next.viewIndex !== given.viewIndex) expect(text).toContain('Jobs');
        else if (list === undefined) expect(next.details.at).toBe(given.details.at);
        else {
          const pane = list === 'flow' ? 'workflows' : 'details';
          expect([next.pane, next[pane].at]).toEqual([pane, Number(number)]);
          // Only what was selected before is opened.
          if (pane === 'workflows' || given.details.at !== Number(number)) expect(effects).toEqual([]);
        }
      },
    ),
  );
});

it('a click on the selected row opens it, and one on the name of a view shows that view', () => {
  const given = model(1, 3, 1);
  const screen = drawn(given, size);
  const line = screen.findIndex((text) => text.includes('job_1.'));
  expect(press(given, `click 5 ${line}`, 0, size).effects).toEqual([{ do: 'show', id: 2 }]);
  const tabLine = screen.findIndex((text) => text.includes('Results'));
  for (const [view, { name }] of detailViews.slice(0, 5).entries()) {
    const column = (screen[tabLine] as string).indexOf(name);
    expect(press(given, `click ${column} ${tabLine}`, 0, size).model.viewIndex).toBe(view);
  }
});

it('the wheel moves three rows, and neither it nor a click answers a question', () => {
  const given = model(1, 20, 1);
  expect(press(given, 'wheel-down', 0, size).model.details.at).toBe(4);
  expect(press(given, 'wheel-up', 0, size).model.details.at).toBe(0);
  const asked = press(given, 'C', 0, size).model;
  for (const key of ['wheel-down', 'click 5 9'])
    expect(press(asked, key, 0, size)).toEqual({ model: asked, effects: [] });
});

it('m turns the mouse on and off', () => {
  const { model: on, effects } = press(model(1, 1, 0), 'm', 0, size);
  expect([on.hasMouse, effects]).toEqual([true, [{ do: 'mouse', isUsed: true }]]);
  expect(press(on, 'm', 0, size).effects).toEqual([{ do: 'mouse', isUsed: false }]);
});
