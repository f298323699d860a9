import { batchWords } from '../../allocation/batch-words.ts';
import { type RecoveryDecision, type Repair, REPAIRS, type Why } from './recovery.ts';

/**
 * Lines about a recovery that Torc 1.0.0 prints, word for word: scripts look for them. What else is said stands beside them. Where
 * Torc knows no cause and we do, the words say so.
 */

/** What a recovery does about the jobs that did not end well, by their number. */
export interface Fixes {
  readonly oom: number;
  readonly timeout: number;
  readonly lost: number;
  /** Failed for another reason, and run again although. */
  readonly unknown: number;
  /** Failed for another reason, and left as they are. */
  readonly skipped: number;
  /** Those of them whose cause is known, and printed: Torc's words for them would contradict it. */
  readonly explained?: number;
}

export function fixesOf<Job extends { readonly why: Why }>({ retried, left }: RecoveryDecision<Job>): Fixes {
  const count = (again: Repair['again']) => retried.filter(({ why }) => REPAIRS[why].again === again).length;
  return {
    oom: count('with more memory'),
    timeout: count('with more time'),
    lost: count('as it is'),
    unknown: count('no'),
    skipped: left.length,
    explained: left.filter(({ why }) => why !== 'unknown').length,
  };
}

export const attemptLine = (attempt: number, most: number | undefined): string =>
  `Attempting automatic recovery (attempt ${attempt}${most === undefined ? '' : `/${most}`})`;

export const fixesLines = ({ oom, timeout, skipped, explained = 0 }: Fixes): string[] => {
  const line = (count: number, cause: string) =>
    count === 0 ? [] : [`  ${count} job(s) with ${cause} (skipped, use --retry-unknown to include)`];
  return [
    `  Applied fixes: ${oom} OOM, ${timeout} timeout`,
    ...line(skipped - explained, 'unknown failure cause'),
    ...line(explained, 'a cause that a repetition does not change'),
  ];
};

export const RESUMING = 'Recovery initiated. Resuming monitoring...';

export const noneLine = ({ skipped, explained = 0 }: Fixes): string =>
  explained === 0
    ? `No auto-recoverable jobs found. ${skipped} job(s) failed with unknown causes. Use --retry-unknown to retry jobs with unknown failure causes.`
    : `No auto-recoverable jobs found. ${skipped} job(s) failed for causes that a repetition does not change. Use --retry-unknown to retry them all the same.`;

interface Summary {
  readonly workflowId: number;
  readonly fixes: Fixes;
  /** Jobs that run again. */
  readonly reset: number;
  readonly isDryRun: boolean;
  /** The command that runs them, where no allocation does. */
  readonly next: string | undefined;
  /** The batch system. */
  readonly system?: string | undefined;
}

/** The last lines of `torc recover`. */
export function summaryLines({ workflowId, fixes, reset, isDryRun, next, system }: Summary): string[] {
  const { oom, timeout, unknown } = fixes;
  const line = (count: number, would: string, did: string) =>
    count === 0 ? [] : [`  - ${count} job(s) ${isDryRun ? would : did}`];
  const { name } = batchWords(system);
  const batch = isDryRun ? ` and regenerate ${name} schedulers.` : ` ${name} schedulers regenerated and submitted.`;
  const end = isDryRun
    ? `Would reset ${reset} job(s)${next === undefined ? batch : `; re-run with '${next}'.`}`
    : `Reset ${reset} job(s)${next === undefined ? `.${batch}` : ' for retry.'}`;
  return [
    isDryRun ? `[DRY RUN] Summary for workflow ${workflowId}` : `Recovery complete for workflow ${workflowId}`,
    ...line(oom, 'would have memory increased', 'had memory increased'),
    ...line(timeout, 'would have runtime increased', 'had runtime increased'),
    ...line(unknown, 'with unknown failures would be reset', 'with unknown failures reset'),
    end,
  ];
}
