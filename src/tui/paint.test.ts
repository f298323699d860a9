import { expect, it, test } from 'vitest';
import { screenOf, screenText } from './cells.ts';
import { firstModel, type Model, withText } from './model.ts';
import { paint } from './paint.ts';

const nowMs = Date.parse('2026-01-01T00:01:00Z');
const job = (id: number, status: string) => ({
  id,
  workflow_id: 1,
  name: `sample_${id}`,
  command: `python train.py --seed ${id} --epochs 100 --output results/sample_${id}.csv`,
  status,
  ...(status === 'running' ? { compute_node_id: 1, start_time: '2026-01-01T00:00:15Z' } : {}),
});
const model: Model = {
  ...firstModel,
  pane: 'details',
  workflow: { id: 1, name: 'sweep' },
  workflows: {
    ...firstModel.workflows,
    rows: [
      {
        id: 1,
        name: 'sweep',
        user: 'ada',
        description: 'seeds',
        standing: { state: 'running', done: 1204, total: 9000, failed: 3, stopped: 0, running: 2 },
      },
    ],
    total: 1,
  },
  details: {
    ...firstModel.details,
    rows: [job(1, 'completed'), job(2, 'running'), ...Array.from({ length: 60 }, (_, at) => job(at + 3, 'ready'))],
    total: 62,
    at: 1,
  },
};
const drawn = (given: Model, width: number, height: number, hasUnicode = true) =>
  screenText(
    screenOf(
      paint(given, { width, height }, 'http://login1:8080 · ada', nowMs),
      { width, height },
      { hasColours: true, hasUnicode },
    ),
  ).split('\n');

it('on 80 by 24 places the screen has the workflows, the views, as many jobs as fit, and where they are in the list', () => {
  const lines = drawn(model, 80, 24);
  expect(lines).toHaveLength(24);
  expect([...lines.slice(0, 9), lines.at(-1)]).toEqual([
    'torc tui · http://login1:8080 · ada · sweep (workflow 1)',
    'ID ↓  Name    State    Done                   User    Description',
    '   1  sweep   running  1,204/9,000, 3 failed  ada     seeds',
    '',
    '',
    ' ◆ Summary  ▶ Jobs  ▷ Running  ✓ Results  ◫ Files  ◈ User Data  ⚡ Events  ▣ Com',
    '  ID  Name       Status     Node      Elapsed  Command',
    '   1  sample_1   completed                     python train.py --seed 1 --epoch…',
    '   2  sample_2   running    1           45.0s  python train.py --seed 2 --epoch…',
    '1–62 of 62 · ? help · q quit',
  ]);
});

it('on 120 by 40 places commands are longer, and all views stand in one line', () => {
  const lines = drawn(model, 120, 40);
  expect(lines).toHaveLength(40);
  expect(lines[5]).toContain('⚑ Accounting');
  expect(lines.find((line) => line.includes('sample_2'))).toContain('--epochs 100 --output results/sample_2.csv');
});

it('without UTF-8 the same screen has characters of ASCII alone', () => {
  const lines = drawn(model, 80, 24, false);
  expect(lines.join('')).toMatch(/^[ -~]*$/);
  expect(lines[1]).toBe('ID v  Name    State    Done                   User    Description');
  expect(lines[8]).toBe('   2  sample_2   running    1           45.0s  python train.py --seed 2 --epoch~');
});

test.each([
  [20, 8],
  [40, 12],
  [300, 100],
  [5, 3],
])('a terminal of %d by %d places is filled and never exceeded', (width, height) => {
  for (const each of [model, withText(model, 'Why', ['word '.repeat(100), '１'.repeat(50)])]) {
    const lines = drawn(each, width, height);
    expect(lines).toHaveLength(height);
  }
});

it('the selected job stays visible however far down it is', () => {
  const far = { ...model, details: { ...model.details, at: 61 } };
  expect(drawn(far, 80, 24).some((line) => line.includes('sample_62'))).toBe(true);
  expect(drawn(far, 80, 24).some((line) => line.includes('sample_1 '))).toBe(false);
});

it('a server that is away is named at the top with what was read before, and why at the bottom', () => {
  const away = { ...model, away: 'connect ECONNREFUSED' };
  const lines = drawn(away, 80, 24);
  expect(lines[0]).toMatch(/the server does not answer$/);
  expect([lines[7], lines.at(-1)]).toEqual([drawn(model, 80, 24)[7], 'connect ECONNREFUSED']);
});
