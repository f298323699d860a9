import { counted, grouped } from '../quantity/count-text.ts';
import { sizeText } from '../quantity/size-text.ts';
import { timeText } from '../quantity/time-text.ts';
import type { WorkflowComparison } from './compare.ts';
import { leftOutBlock } from './cost-blocks.ts';
import { type Block, type ReportDocument, tableBlock } from './document.ts';

/** A comparison for people. */
export function comparisonDocument({
  sides,
  families,
  families_left_out: leftOut,
  files,
}: WorkflowComparison): ReportDocument {
  const [first, second] = sides;
  const isOne = first.workflow_id === second.workflow_id;
  const titles = [first, second].map(({ workflow_id: id, run_id: run, name }) =>
    isOne ? `run ${run}` : `${name} (${id})`,
  ) as [string, string];
  const row = (name: string, of: (side: typeof first) => number, text: (value: number) => string) => [
    name,
    text(of(first)),
    text(of(second)),
    changeText(of(first), of(second)),
  ];
  return {
    title: isOne ? `${first.name} (workflow ${first.workflow_id}): ${titles.join(' and ')}` : titles.join(' and '),
    sections: [
      {
        title: 'Together',
        blocks: [
          tableBlock(
            'What each of them did',
            ['Of both', `#${titles[0]}`, `#${titles[1]}`, '#Change'],
            [
              row('Jobs', ({ jobs }) => jobs, grouped),
              row('Jobs that ended', ({ ended }) => ended, grouped),
              row('Jobs that failed', ({ failed }) => failed, grouped),
              row('Jobs that did not complete', ({ not_completed: bad }) => bad, grouped),
              row('Wall time', ({ wall_seconds: seconds }) => seconds, timeText),
              row('Time of all jobs', ({ execution_seconds: seconds }) => seconds, timeText),
            ],
          ),
        ],
      },
      { title: 'Families of jobs', blocks: familyBlocks(families, titles, leftOut) },
      { title: 'Requirements that differ', blocks: requirementBlocks(families, titles) },
      { title: 'Files that differ', blocks: fileBlocks(files, titles) },
    ].filter(({ blocks }) => blocks.length > 0),
  };
}

type Pair<Value> = readonly [first: Value, second: Value];

/** `+50 %`; nothing where there is nothing to compare. */
function changeText(first: number | null, second: number | null): string {
  if (first === null || second === null || first === second) return first === second && first !== null ? '=' : '–';
  if (first === 0) return 'new';
  const percent = Math.round((second / first - 1) * 100);
  return `${percent > 0 ? '+' : ''}${percent} %`;
}

function familyBlocks(families: WorkflowComparison['families'], titles: Pair<string>, leftOut: number): Block[] {
  if (families.length === 0) return [];
  const two = <Value>([first, second]: Pair<Value | null>, text: (value: Value) => string) =>
    [first, second].map((value) => (value === null ? '–' : text(value))).join(' → ');
  const amount = (pair: Pair<number | null>, text: (value: number) => string) => [two(pair, text), changeText(...pair)];
  return [
    {
      kind: 'text',
      text: `Each cell is ${titles[0]} → ${titles[1]}. The family whose jobs differ most in time stands first.`,
    },
    tableBlock(
      'What jobs used, median and maximum',
      ['Family', '#Jobs', '#Not completed', '#Time', '#Change', '#Longest', '#Memory', '#Change', '#Most memory'],
      families.map((family) => [
        family.name,
        two(family.jobs, grouped),
        two(family.not_completed, grouped),
        ...amount(family.median_seconds, timeText),
        two(family.max_seconds, timeText),
        ...amount(family.median_memory_bytes, sizeText),
        two(family.max_memory_bytes, sizeText),
      ]),
    ),
    ...leftOutBlock(leftOut, 'family', 'families'),
  ];
}

function requirementBlocks(families: WorkflowComparison['families'], titles: Pair<string>): Block[] {
  const other = families.filter(
    ({ jobs, requirements: [first, second] }) => jobs[0] > 0 && jobs[1] > 0 && first.join('; ') !== second.join('; '),
  );
  if (other.length === 0) return [];
  return [
    tableBlock(
      'What jobs ask for',
      ['Family', ...titles],
      other.map(({ name, requirements: [first, second] }) => [name, first.join('; '), second.join('; ')]),
    ),
  ];
}

function fileBlocks(
  { only_in: only, other_path: moved, left_out: leftOut }: WorkflowComparison['files'],
  titles: Pair<string>,
): Block[] {
  const rows = [
    ...only.flatMap((names, at) => names.map((name) => [name, `only in ${titles[at]}`])),
    ...moved.map(({ name, paths }) => [name, paths.join(' → ')]),
  ];
  if (rows.length === 0) return [];
  return [
    tableBlock(`${counted(rows.length, 'file')}, by name`, ['File', 'Difference'], rows),
    ...leftOutBlock(leftOut, 'file'),
  ];
}
