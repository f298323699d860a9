import { formatTimestamp } from '../../../../core/contract/sonar/timestamp.ts';
import type { ProcessUse, ProfileStep } from '../../../../telemetry/questions/profile.ts';
import type { Column } from '../../../output/table.ts';
import { percentText, secondsText } from '../../../output/words.ts';
import { kbText, right, timeText } from './window.ts';

export const stepColumns: readonly Column<ProfileStep>[] = [
  {
    title: 'Time',
    value: ({ time }) => formatTimestamp(time),
    text: ({ time }) => formatTimestamp(time).slice(0, 19).replace('T', ' '),
    importance: 9,
  },
  { title: 'Node', value: ({ node }) => node },
  { title: 'Processes', value: ({ processes }) => processes, align: right },
  {
    title: 'CPU',
    value: ({ cpuPercent }) => cpuPercent.toFixed(1),
    text: ({ cpuPercent }) => percentText(cpuPercent),
    align: right,
    importance: 8,
  },
  {
    title: 'Memory',
    value: ({ memoryKb }) => memoryKb,
    text: ({ memoryKb }) => kbText(memoryKb),
    align: right,
    importance: 8,
  },
  {
    title: 'GPU',
    value: ({ gpuPercent }) => gpuPercent.toFixed(1),
    text: ({ gpuPercent }) => (gpuPercent === 0 ? '' : percentText(gpuPercent)),
    align: right,
  },
  {
    title: 'GPU Memory',
    value: ({ gpuMemoryKb }) => gpuMemoryKb,
    text: ({ gpuMemoryKb }) => kbText(gpuMemoryKb),
    align: right,
  },
];

export const processColumns: readonly Column<ProcessUse>[] = [
  { title: 'Process', value: ({ cmd }) => cmd, text: ({ cmd, depth }) => `${'  '.repeat(depth)}${cmd}`, importance: 9 },
  { title: 'Pid', value: ({ pid }) => pid, align: right },
  { title: 'Parent', value: ({ ppid }) => ppid, align: right },
  { title: 'Node', value: ({ node }) => node },
  {
    title: 'CPU Time',
    value: ({ cpuSeconds }) => cpuSeconds,
    text: ({ cpuSeconds }) => secondsText(Number(cpuSeconds)),
    align: right,
  },
  {
    title: 'Peak Memory',
    value: ({ peakMemoryKb }) => peakMemoryKb,
    text: ({ peakMemoryKb }) => kbText(peakMemoryKb),
    align: right,
  },
  { title: 'First', value: ({ first }) => formatTimestamp(first), text: ({ first }) => timeText(first) },
  { title: 'Last', value: ({ last }) => formatTimestamp(last), text: ({ last }) => timeText(last) },
];
