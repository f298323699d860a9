import { expect, it } from 'vitest';
import type { JobDifference } from '../../core/workflow-file/update/difference.ts';
import { differingWords } from './job-differences.ts';
import { differenceText } from './plan-difference.ts';

const updated = { added_jobs: 0, changed_jobs: 0, removed_jobs: 0, rerun_jobs: 0, held: [] };

const changed = (name: string, before: string, after: string): JobDifference => ({
  kind: 'changed',
  id: 1,
  name,
  reruns: true,
  changes: [{ field: 'command', before, after }],
});

it('fifty jobs whose command changes in the same way are one line with the words that differ', () => {
  const align = (number: number, score: number) =>
    `align --in raw/${number}.fastq --min-score ${score} --out bam/${number}.bam`;
  const jobs = Array.from({ length: 50 }, (_, index) => changed(`align_${index}`, align(index, 30), align(index, 20)));
  const difference = { jobs, records: [], keptSchedulers: [], unchanged: 2, update: {} };
  const text = differenceText(1, { difference, updated, reruns: [] } as never, { isDryRun: true, width: 120 });
  expect(text.split('\n').slice(0, 5)).toEqual([
    '╭──────┬─────────┬─────────┬──────┬──────────────────────────────────╮',
    '│ Jobs │ Name    │ Change  │ Runs │ Why                              │',
    '├──────┼─────────┼─────────┼──────┼──────────────────────────────────┤',
    '│   50 │ align_# │ changed │ yes  │ command: … --min-score 30 → 20 … │',
    '╰──────┴─────────┴─────────┴──────┴──────────────────────────────────╯',
  ]);
});

it.each([
  ['cat other > copy', 'cat other other > copy', 'cat other > copy → cat other other > copy'],
  [
    'python train.py --rate 0.1 --epochs 20 --seed 7',
    'python train.py --rate 0.2 --epochs 20 --seed 7',
    '… --rate 0.1 → 0.2 …',
  ],
  [
    'python train.py --rate 0.1 --epochs 20',
    'python train.py --rate 0.1 --epochs 20 --fast',
    '… --epochs 20 → 20 --fast',
  ],
  [
    'python train.py --rate 0.1 --epochs 20',
    'python train.py --fast --rate 0.1 --epochs 20',
    '… train.py → train.py --fast …',
  ],
  ['sleep 1', 'sleep 2', 'sleep 1 → sleep 2'],
  [
    'sleep 0.1; align --min-score 30 --in raw/7.fastq > bam/7.bam || exit 3',
    'sleep 0.1; align --min-score 20 --in raw/7.fastq > bam/7.bam || exit 4',
    '… --min-score 30 → 20 … exit 3 → 4',
  ],
  [
    'python train.py --rate 0.1 --epochs 20 --seed 7 --out model.pt',
    'python train.py --fast --rate 0.1 --epochs 20 --out model.pt',
    '… train.py → train.py --fast … 20 --seed 7 → 20 …',
  ],
  ['one '.repeat(80), 'two '.repeat(80), `${'one '.repeat(80)} → ${'two '.repeat(80)}`],
])('%s and %s differ in: %s', (before, after, words) => {
  expect(differingWords(before, after)).toBe(words);
});
