import { formatTimestamp } from '../../core/contract/sonar/timestamp.ts';
import type { ProfiledProcess, ProfileInterval } from '../../telemetry/questions/profile.ts';
import { percent } from '../output/columns.ts';
import type { Column } from '../output/table.ts';
import { percentText } from '../output/words.ts';
import { kb, right, seconds, time } from './columns.ts';

export const stepColumns: readonly Column<ProfileInterval>[] = [
  {
    title: 'Time',
    value: ({ time }) => formatTimestamp(time),
    text: ({ time }) => formatTimestamp(time).slice(0, 19).replace('T', ' '),
    importance: 9,
  },
  { title: 'Node', value: ({ node }) => node },
  { title: 'Processes', value: ({ processes }) => processes, align: right },
  percent('CPU', ({ cpuPercent }) => cpuPercent, { importance: 8 }),
  kb('Memory', ({ memoryKb }) => memoryKb, { importance: 8 }),
  {
    title: 'GPU',
    value: ({ gpuPercent }) => gpuPercent.toFixed(1),
    text: ({ gpuPercent }) => (gpuPercent === 0 ? '' : percentText(gpuPercent)),
    align: right,
  },
  kb('GPU Memory', ({ gpuMemoryKb }) => gpuMemoryKb),
];

export const processColumns: readonly Column<ProfiledProcess>[] = [
  { title: 'Process', value: ({ cmd }) => cmd, text: ({ cmd, depth }) => `${'  '.repeat(depth)}${cmd}`, importance: 9 },
  { title: 'Pid', value: ({ pid }) => pid, align: right },
  { title: 'Parent', value: ({ ppid }) => ppid, align: right },
  { title: 'Node', value: ({ node }) => node },
  seconds('CPU Time', ({ cpuSeconds }) => cpuSeconds),
  kb('Peak Memory', ({ peakMemoryKb }) => peakMemoryKb),
  time('First', ({ first }) => first),
  time('Last', ({ last }) => last),
];
