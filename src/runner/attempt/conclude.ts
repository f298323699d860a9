import { stdioOf } from '../../core/contract/files/job.ts';
import type { RunFacts } from '../step/request.ts';
import type { SettledEnd } from '../step/steps.ts';
import type { Attempt, Attempts, EndTime } from './attempt.ts';
import type { OutputDisk } from './output-disk.ts';
import { stat } from 'node:fs/promises';
import type { ClaimedJob, Completion } from '../../core/contract/exchange.ts';

export interface ConcludeOptions {
  readonly facts: RunFacts;
  readonly attempts: Attempts;
  readonly disk: OutputDisk | undefined;
}

/** Gives an attempt its result; undefined if it is final at once. */
export type Conclude = (attempt: Attempt, end: EndTime, account: SettledEnd) => Promise<void> | undefined;

/** Looks for the declared outputs of a job that succeeded, and for a full disk where one failed by itself. */
export function createConclude({ facts, attempts, disk }: ConcludeOptions): Conclude {
  const withOutputs = async (attempt: Attempt, end: EndTime, account: SettledEnd) => {
    const { missing, files } = await lookForOutputs(attempt.job);
    await attempts.finish(attempt, end, account, missing, files);
  };

  /** A failure on a full disk has that as its cause, unless there is another one. */
  const withShortage = async (look: OutputDisk['shortage'], attempt: Attempt, end: EndTime, account: SettledEnd) => {
    const shortage = await look();
    await attempts.finish(attempt, end, { ...account, shortage }, [], undefined);
  };

  return (attempt, end, account) => {
    const writes = disk !== undefined && stdioOf(facts.execution, attempt.job.name).mode !== 'none';
    if (writes) disk.ended(attempt.job.name);
    if (writes && failedByItself(attempt, account)) return withShortage(disk.shortage, attempt, end, account);
    return attempt.job.output_files && account.exitCode === 0
      ? withOutputs(attempt, end, account)
      : attempts.finish(attempt, end, account, [], undefined);
  };
}

/** With an exit code of its own that nothing else explains. */
const failedByItself = ({ endedFor }: Attempt, { exitCode = 0, endedBy, cause }: SettledEnd): boolean =>
  exitCode > 0 &&
  exitCode <= LARGEST_OWN_CODE &&
  endedFor === undefined &&
  endedBy === undefined &&
  cause === undefined;

/** Larger ones stand for a signal. */
const LARGEST_OWN_CODE = 128;

interface Outputs {
  /** Paths of declared outputs that do not exist. */
  readonly missing: readonly string[];
  /** The outputs that exist, with their modification times. */
  readonly files: NonNullable<Completion['files']>;
}

/** Checks the declared outputs of a job, off the main thread: their file system may be slow, or hang. */
async function lookForOutputs({ output_files: outputs }: ClaimedJob): Promise<Outputs> {
  const found = await Promise.all(
    (outputs ?? []).map(async ({ id, path }) => {
      const stats = await stat(path).catch(() => undefined);
      return { id, path, seconds: stats === undefined ? undefined : stats.mtimeMs / 1000 };
    }),
  );
  return {
    missing: found.flatMap(({ path, seconds }) => (seconds === undefined ? [path] : [])),
    files: found.flatMap(({ id, seconds }) => (seconds === undefined ? [] : [{ id, st_mtime: seconds }])),
  };
}
