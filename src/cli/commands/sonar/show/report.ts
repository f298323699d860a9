import { type ReportKind, reportKinds } from '../../../../core/contract/report-kinds.ts';
import type { ReportLine } from '../../../../telemetry/questions/report.ts';
import { command } from '../../../command/command.ts';
import { UsageError } from '../../../command/failure.ts';
import { cellText, type Column } from '../../../output/table.ts';
import { kb, right, time } from '../../../samples/columns.ts';
import { nodeOption, ask, print, windowOptions } from './window.ts';

const reportColumns: readonly Column<ReportLine>[] = [
  { title: 'Subject', value: ({ subject }) => subject, importance: 9 },
  { title: 'User', value: ({ user = '' }) => user },
  { title: 'Node', value: ({ node = '' }) => node, cut: 'end', importance: 4 },
  { title: 'Jobs', value: ({ jobs = '' }) => jobs, align: right },
  { title: 'CPU Hours', value: ({ cpuHours }) => cpuHours?.toFixed(2) ?? '', align: right },
  { title: 'GPU Hours', value: ({ gpuHours }) => gpuHours?.toFixed(2) ?? '', align: right },
  kb('Memory', ({ memoryKb }) => memoryKb),
  kb('GPU Memory', ({ gpuMemoryKb }) => gpuMemoryKb),
  time('First Seen', ({ first }) => first, 4),
  time('Last Seen', ({ last }) => last),
  { title: 'Reason', value: ({ reason }) => reason, importance: 8 },
];

export const showReport = command('sonar show report <kind>', {
  says: `Show who uses what, and what should not be there: ${reportKinds.join(', ')}.`,
  example: 'idle-gpu --from 7d',
  more:
    'hogs: jobs that take 10 % of the cores of nodes with cards and use no card. idle-gpu: jobs that had a card for 30 minutes and used ' +
    'less than 5 % of it. zombies: processes that ended and were not waited for, and memory of cards whose process is gone. ' +
    'greedy: finished jobs of Slurm that used less than a quarter of their CPUs or memory.',
  options: [...windowOptions, nodeOption],
  offline: true,
  async run({ output }, [kind], options) {
    if (!(reportKinds as readonly string[]).includes(kind))
      throw new UsageError(`expected one of ${reportKinds.join(', ')}, found "${kind}"`);
    const { reportLinesOf } = await import('../../../../telemetry/questions/report.ts');
    const lines = await ask(options, (questions, window) => reportLinesOf(questions, window, kind as ReportKind));
    const hasValue = ({ value }: Column<ReportLine>) => lines.some((line) => cellText(value(line)) !== '');
    print(output, 'lines', lines, output.format === 'table' ? reportColumns.filter(hasValue) : reportColumns);
  },
});
