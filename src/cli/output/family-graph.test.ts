import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { textWidth } from '../../core/text/text-width.ts';
import { familyCounts, type FamilyPicture, familyGraphLines } from './family-graph.ts';

const graphOf = (
  families: readonly (readonly [name: string, jobs: number, counts?: object])[],
  ...edges: readonly (readonly [from: string, to: string])[]
): FamilyPicture => ({
  families: families.map(([name, jobs, counts]) => ({
    key: name,
    name,
    jobs,
    ...(counts === undefined ? {} : { jobs_by_status: counts }),
  })),
  edges: edges.map(([from, to]) => ({ from, to })),
  families_left_out: 0,
  jobs_left_out: 0,
});

it('each family stands below what it depends on, with its jobs and how far they are', () => {
  const graph = graphOf(
    [
      ['prepare', 1, { completed: 1 }],
      ['align_#', 1200, { completed: 1100, failed: 100 }],
      ['index_#', 40, { running: 2, ready: 38 }],
      ['collect', 1, { blocked: 1 }],
    ],
    ['prepare', 'align_#'],
    ['prepare', 'index_#'],
    ['align_#', 'collect'],
    ['index_#', 'collect'],
    ['prepare', 'collect'],
  );
  expect(familyCounts(graph)).toBe('1,242 jobs in 4 families');
  expect(familyGraphLines(graph, 80)).toEqual([
    '●   prepare      1  1 completed',
    '├─╮',
    '● │ align_#  1,200  1,100 completed, 100 failed',
    '│ ● index_#     40  2 running, 38 not run (ready)',
    '├─╯',
    '●   collect      1  1 not run (blocked)',
  ]);
});

it('a chain within a family, and a circle of families, are said in words', () => {
  const graph = graphOf(
    [
      ['step_#', 99],
      ['check_#', 99],
    ],
    ['step_#', 'step_#'],
    ['step_#', 'check_#'],
    ['check_#', 'step_#'],
  );
  expect(familyGraphLines(graph, 80)).toEqual([
    '● step_# ↻  99',
    '● check_#   99',
    '',
    '↻ some of these jobs wait for others of their family',
    'Some jobs of step_# wait for check_# as well.',
  ]);
});

it('where too many branches stand side by side, each family names what it depends on', () => {
  const branches = Array.from(
    { length: 30 },
    (_, index) => `branch ${String.fromCodePoint(97 + (index % 26), 97 + (index % 7))}`,
  );
  const graph = graphOf(
    [['start', 1], ...branches.map((name) => [name, 5] as const), ['end', 1]],
    ...branches.map((name) => ['start', name] as const),
    ...branches.map((name) => [name, 'end'] as const),
  );
  const lines = familyGraphLines(graph, 80);
  expect(lines).toHaveLength(32);
  expect(lines[1]).toBe('  ●   branch aa  5  ← start');
  expect(lines.at(-1)).toBe('    ● end        1  ← branch aa, branch bb, branch cc, branch dd, branch ee and…');
});

test('no line is wider than the terminal, whatever the families are called and depend on', () => {
  const size = 12;
  const name = fc.string({ unit: fc.constantFrom('a', '日', '_', '#', '\u001b', '\n'), minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(
      fc.uniqueArray(name, { minLength: size, maxLength: size }),
      fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 40 }),
      fc.integer({ min: 30, max: 120 }),
      (names, pairs, width) => {
        const graph = graphOf(
          names.map((each) => [each, 100_000, { completed: 99_999, failed: 1 }]),
          ...pairs.map(([from, to]) => [names[from] as string, names[to] as string] as const),
        );
        const lines = familyGraphLines(graph, width);
        const noted = lines.indexOf(
          '',
          lines.findLastIndex((line) => line.includes('●')),
        );
        const picture = noted === -1 ? lines : lines.slice(0, noted);
        for (const line of picture) expect(textWidth(line)).toBeLessThanOrEqual(width);
        expect(picture.filter((line) => line.includes('●'))).toHaveLength(size);
      },
    ),
  );
});
