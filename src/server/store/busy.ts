import { Refusal } from '../../core/contract/refusals.ts';

/** SQLITE_BUSY, with any extended code: another program holds a lock that is needed. */
export const isBusy = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === 5;

/** The reply while another program holds the lock. */
export const lockedRefusal = (cause?: unknown): Refusal =>
  new Refusal(
    'DATABASE_LOCKED',
    'another program holds the lock of the database file; nothing was changed',
    { retry_after_seconds: 1 },
    { cause },
  );
