import { stdioOf } from '../../core/contract/files/job.ts';
import type { RunFacts } from '../step/request.ts';
import type { SettledEnd } from '../step/steps.ts';
import type { Attempt, Attempts, EndTime } from './attempt.ts';
import type { OutputDisk } from './output-disk.ts';
import { lookAfter, type Outputs } from './outputs.ts';

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
    await attempts.finish(attempt, end, account, await lookAfter(attempt.job, attempt.outputsBefore));
  };

  /** A failure on a full disk has that as its cause, unless there is another one. */
  const withShortage = async (look: OutputDisk['shortage'], attempt: Attempt, end: EndTime, account: SettledEnd) => {
    const shortage = await look();
    await attempts.finish(attempt, end, { ...account, shortage }, NO_OUTPUTS);
  };

  return (attempt, end, account) => {
    const writes = disk !== undefined && stdioOf(facts.execution, attempt.job.name).mode !== 'none';
    if (writes) disk.ended(attempt.job.name);
    if (writes && failedByItself(attempt, account)) return withShortage(disk.shortage, attempt, end, account);
    return attempt.job.output_files && account.exitCode === 0
      ? withOutputs(attempt, end, account)
      : attempts.finish(attempt, end, account, NO_OUTPUTS);
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

/** They are not looked at. */
const NO_OUTPUTS: Partial<Outputs> = {};
