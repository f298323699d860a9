import type { Mark } from './step-mark.ts';
import type { Evidence } from './evidence.ts';
import { type ExitCodes, judge, KILLED_CODE, TERMINATED_CODE, type Verdict } from './judge.ts';

/**
 * What is proven of the end of a step whose runner was killed.
 *
 * When a runner dies, Slurm ends its allocation, and the steps end one after another: by a signal, or with any exit code of a
 * script whose child was signaled first. Such an end is no result; the job is lost, and runs again. An end counts if nothing
 * had asked the step to end: by its mark, which the shell around the command wrote, and by its State, which speaks first.
 * Where the mark cannot be read, only a step that ended before its runner counts.
 */

/** A row of the accounting. Times are Unix milliseconds. */
export interface LeftRow {
  /** Slurm's word: `CANCELLED`. */
  readonly state: string;
  /** Of its command; before 26.05 seven bits of it. */
  readonly exitCode: number;
  readonly signal: number;
  readonly endedAtMs: number | undefined;
}

export interface LeftStep {
  /** Undefined if there is none, or if it cannot be read here. */
  readonly mark: Mark | undefined;
  /** Undefined if the accounting has none. */
  readonly row: LeftRow | undefined;
  /** The end of the batch step, in which its runner was. */
  readonly runnerEndedAtMs: number | undefined;
}

/** The accounting has whole seconds, and a busy node reports late. */
const MARGIN_MS = 2_000;
/** Codes of commands that SIGKILL and SIGTERM ended: their sender is unknown, and the end of the runner is the likely one. */
const BY_SIGNAL: ReadonlySet<number> = new Set([KILLED_CODE, TERMINATED_CODE]);

/** The end of the job; undefined if nothing proves one. */
export function provenEnd(step: LeftStep, codes: ExitCodes): Verdict | undefined {
  const evidence = evidenceOf(step);
  return evidence && judge(evidence, codes);
}

function evidenceOf({ mark, row, runnerEndedAtMs }: LeftStep): Evidence | undefined {
  if (row?.state === 'OUT_OF_MEMORY') return { endedBy: 'memory' };
  if (row !== undefined && row.state !== 'COMPLETED' && row.state !== 'FAILED')
    return row.state === 'TIMEOUT' ? { endedBy: 'time' } : undefined;
  const isBefore = endedBefore(row, runnerEndedAtMs);
  if (mark?.code !== undefined) {
    const wasAsked = mark.asked !== undefined && !(mark.asked.isHandled && isBefore);
    return wasAsked || BY_SIGNAL.has(mark.code) ? undefined : { exitCode: mark.code, asked: mark.asked };
  }
  if (row === undefined || !isBefore || mark?.asked !== undefined || row.signal !== 0) return undefined;
  if (row.state === 'COMPLETED') return { exitCode: 0 };
  // The accounting of releases before 26.05 keeps seven bits: these may be the codes of SIGKILL and SIGTERM as well.
  const mayBeSignal = BY_SIGNAL.has(row.exitCode) || BY_SIGNAL.has(128 + row.exitCode);
  return row.exitCode === 0 || mayBeSignal ? undefined : { exitCode: row.exitCode };
}

const endedBefore = (row: LeftRow | undefined, runnerEndedAtMs: number | undefined): boolean =>
  row?.endedAtMs !== undefined && runnerEndedAtMs !== undefined && row.endedAtMs + MARGIN_MS <= runnerEndedAtMs;

/** Whether the accounting may still get something that decides: it is some seconds behind. */
export const mayBeReported = (mark: Mark, hasRow: boolean): boolean =>
  !hasRow && mark.code !== undefined && mark.asked === undefined;
