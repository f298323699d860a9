import { countOf, FAILED, STOPPED } from '../../../core/job/statuses.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import type { Hint } from '../../../operations/report/views/next-lines.ts';
import {
  cpuText,
  elapsedText,
  memoryOfLimitText,
  type RunningRow,
  runningRows,
} from '../../../operations/report/views/running.ts';
import { countsLine, progressLine, titleLine, waitLines } from '../../../operations/report/views/top.ts';
import type { TopFacts } from '../../../operations/report/facts/top.ts';
import type { Style } from '../../output/output.ts';
import { type Column, tableOf } from '../../output/table.ts';

export interface PictureLine {
  readonly text: string;
  readonly style?: Style;
}

/** Lines of a table that are no rows: its borders and its titles. */
const TABLE_FRAME = 4;

const columns: readonly Column<RunningRow>[] = [
  { title: 'ID', value: (row) => row.job_id, align: 'right', importance: 9 },
  { title: 'Running', value: (row) => row.job_name, cut: 'middle', importance: 8 },
  { title: 'Node', value: (row) => row.hostname, cut: 'middle', importance: 4 },
  { title: 'Elapsed', value: elapsedText, align: 'right', importance: 7 },
  { title: 'CPUs', value: cpuText, align: 'right', importance: 5 },
  { title: 'Memory', value: memoryOfLimitText, align: 'right', importance: 6 },
];

/** The picture of a workflow, at most so wide and so high; jobs that run beyond that are counted. */
export function topPicture(
  facts: TopFacts,
  hint: Hint,
  { width, height }: { width: number; height: number },
): PictureLine[] {
  const isBad = countOf(facts.status.jobs_by_status, FAILED, STOPPED) > 0;
  const waits = waitLines(facts, hint);
  const head: PictureLine[] = [
    { text: titleLine(facts), style: 'bold' },
    { text: progressLine(facts), style: isBad ? 'red' : 'green' },
    { text: countsLine(facts.status.jobs_by_status) },
    ...waits.map((text) => ({ text })),
  ];
  return [...head, ...runningLines(facts, width, height - head.length)];
}

function runningLines(facts: TopFacts, width: number, height: number): PictureLine[] {
  const rows = runningRows(facts);
  const { running } = facts.status.jobs_by_status;
  if (rows.length === 0 || height <= TABLE_FRAME) return [];
  const fits = running + TABLE_FRAME <= height ? rows.length : height - TABLE_FRAME - 1;
  const shown = rows.slice(0, Math.max(0, fits));
  if (shown.length === 0) return [];
  return [
    ...tableOf(columns, shown, width)
      .text.split('\n')
      .map((text) => ({ text })),
    ...(running > shown.length ? [{ text: `and ${counted(running - shown.length, 'more running job')}` }] : []),
  ];
}
