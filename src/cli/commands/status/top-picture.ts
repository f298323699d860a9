import { countOf, FAILED, STOPPED } from '../../../core/job/statuses.ts';
import { sentenceOf } from '../../../core/attempt/cause.ts';
import type { JobFamily } from '../../../core/contract/view.ts';
import { outcomeOf } from '../../../core/lifecycle/explain/outcome.ts';
import { counted, grouped } from '../../../core/quantity/count-text.ts';
import { withShortWords } from '../../../core/quantity/short-words.ts';
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
    ...failureLines(facts),
    ...waits.map((text) => ({ text })),
  ];
  const running = runningLines(facts, width, height - head.length);
  return [...head, ...running, ...familyLines(facts, width, height - head.length - running.length)];
}

/** Causes that are shown. */
const MOST_CAUSES = 3;

/** `3 jobs failed: the command itself ended with 3: fit_1, fit_2 and 1 more` */
function failureLines({ failures }: TopFacts): PictureLine[] {
  const shown = failures
    .slice(0, MOST_CAUSES)
    .map(({ jobs, status, return_code: returnCode, cause, cause_code: code, first }) => {
      const why = sentenceOf({ status, returnCode, causeCode: code, cause }) ?? `exit code ${returnCode}`;
      const names = first.slice(0, MOST_CAUSES).map(({ job_name: name }) => withShortWords(name));
      const more = jobs > names.length ? ` and ${grouped(jobs - names.length)} more` : '';
      return `${counted(jobs, 'job')} ${status}: ${withShortWords(why)}: ${names.join(', ')}${more}`;
    });
  const left = failures.length - shown.length;
  return [...shown, ...(left > 0 ? [`and ${counted(left, 'other cause')}`] : [])].map((text) => ({
    text,
    style: 'red',
  }));
}

const familyColumns: readonly Column<JobFamily>[] = [
  { title: 'Family', value: ({ name }) => name, cut: 'middle', importance: 9 },
  { title: 'Jobs', value: ({ jobs }) => grouped(jobs), align: 'right', importance: 6 },
  { title: 'Completed', value: (row) => grouped(numbersOf(row).completed), align: 'right', importance: 8 },
  { title: 'Running', value: (row) => grouped(numbersOf(row).running), align: 'right', importance: 7 },
  { title: 'Failed', value: (row) => grouped(numbersOf(row).failed), align: 'right', importance: 8 },
  { title: 'Stopped', value: (row) => grouped(numbersOf(row).stopped), align: 'right', importance: 4 },
  { title: 'Not run', value: (row) => grouped(numbersOf(row).notRun), align: 'right', importance: 5 },
];
const numbersOf = ({ jobs_by_status: counts }: JobFamily) => outcomeOf(counts);

/** How far each family is, in the lines that are left; one alone says nothing that the counts do not. */
function familyLines({ families }: TopFacts, width: number, height: number): PictureLine[] {
  if (families.length < 2 || height <= TABLE_FRAME + 1) return [];
  const fits = families.length + TABLE_FRAME <= height ? families.length : height - TABLE_FRAME - 1;
  const lines = tableOf(familyColumns, families.slice(0, fits), width).text.split('\n');
  const left = families.length - fits;
  return [...lines, ...(left > 0 ? [`and ${counted(left, 'more family', 'more families')}`] : [])].map((text) => ({
    text,
  }));
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
