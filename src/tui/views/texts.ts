import type { JobStatus } from '../../core/job/job-statuses.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import type { CellStyle } from '../cells.ts';

export const sinceText = (start: string | null | undefined, nowMs: number): string => {
  const startMs = Date.parse(start ?? '');
  // The clock of a runner may be ahead.
  return Number.isNaN(startMs) ? '' : timeText(Math.max(0, (nowMs - startMs) / 1000));
};

export const memoryCellText = (bytes: number | null | undefined): string =>
  bytes === null || bytes === undefined || bytes === 0 ? '' : sizeText(bytes);

export const percentCellText = (percent: number | null | undefined): string =>
  percent === null || percent === undefined ? '' : `${percent.toFixed(1)}%`;

/** `2026-11-25 17:03:05`: in the time zone of the terminal. */
export function momentText(time: string | number | null | undefined): string {
  const date = new Date(time ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}

export const jsonText = (value: unknown): string =>
  value === undefined || value === null ? '' : JSON.stringify(value);

const STYLES: Partial<Record<JobStatus, CellStyle>> = {
  running: 'cyan',
  completed: 'green',
  failed: 'red',
  terminated: 'red',
  canceled: 'yellow',
  pending_failed: 'yellow',
  blocked: 'dim',
  uninitialized: 'dim',
};

export const statusStyle = (status: JobStatus | null | undefined): CellStyle | undefined => STYLES[status ?? 'ready'];
