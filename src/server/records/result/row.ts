import { statusOf } from '../../../core/contract/job.ts';
import type { Result } from '../../../core/contract/result.ts';
import { present } from '../present.ts';

export type ResultRow = Omit<Result, 'status'> & { status: number };
export const resultOf = (row: ResultRow): Result => ({ ...present(row), status: statusOf(row.status) });

export const resultColumns = 'result.*, job.name as job_name';
export const resultTables = 'result join job on job.id = result.job_id';
