import type { CauseCode } from '../contract/cause-code.ts';
import { standardExecution } from './execution.ts';
import type { JobStatus } from '../job/job-statuses.ts';
import type { ExecutionConfig } from '../contract/workflow.ts';
import { signalName, signalNumber } from './signal.ts';
import { ENDED_BADLY, FAILED } from '../job/statuses.ts';
import type { StoredEnd } from './cause.ts';
import { type EndedFor, type Evidence, isUnproven } from './evidence.ts';

/**
 * The one place that says why an attempt ended: runners call it at an end, others for steps that were left behind, and the server for
 * results that are stored without a cause. Nothing else compares return codes.
 */

/** The return codes of jobs that were ended for their memory and for their time: a workflow may have its own. */
export interface ExitCodes {
  readonly memory: number;
  readonly time: number;
}

/** The settings of a workflow that name them, as records and files have them. */
interface CodeSettings {
  readonly oom_exit_code?: number | null | undefined;
  readonly timeout_exit_code?: number | null | undefined;
}

export const exitCodesOf = (execution: CodeSettings | null | undefined): ExitCodes => ({
  memory: execution?.oom_exit_code ?? standardExecution.oom_exit_code,
  time: execution?.timeout_exit_code ?? standardExecution.timeout_exit_code,
});

/** Whether a job fails that did not touch an output which was there before. */
export const failsForStale = ({ stale_outputs: policy }: Pick<ExecutionConfig, 'stale_outputs'>): boolean =>
  policy === 'fail';

/** How an attempt ended. A success has a cause only where its work may be incomplete. */
export interface Verdict {
  readonly status: Extract<JobStatus, 'completed' | 'failed' | 'terminated'>;
  readonly returnCode: number;
  readonly cause?: CauseCode | undefined;
}

/** As shells report the end of a process by a signal. */
const bySignal = (name: string): number => 128 + (signalNumber(name) as number);
/** A job that ended with its node, was canceled by a person, or killed by another process. */
export const KILLED_CODE = bySignal('KILL');
export const TERMINATED_CODE = bySignal('TERM');

/** The return code that the server stores for a job whose runner is lost, as Torc 1.0.0 does. */
export const LOST_CODE = -128;
const NOT_FOUND = 127;
/** As a shell that cannot execute a command, and a runner that cannot start it. */
export const NOT_EXECUTABLE = 126;
/** Also that of a job without a declared output, for runners of Torc. */
const MISSING_OUTPUT = 1;

/** A job that was killed above this share of its memory was killed for its memory: samples miss the last growth. */
export const NEAR_LIMIT = 0.9;

const CRASHES: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGABRT', 'SIGSYS', 'SIGTRAP']);

/**
 * The status, the return code and the cause of an attempt.
 *
 * Reasons of the runner come first: a process killed for memory also shows a signal, and one that handled the signal at
 * its time limit may still exit with 0, which counts as completed. Then comes what ended it from outside: there the
 * exit code may say anything, 0 included.
 */
export function judge(evidence: Evidence, codes: ExitCodes): Verdict {
  const { exitCode, signal, endedFor, endedBy } = evidence;
  const code = isUnproven(evidence) ? TERMINATED_CODE : (exitCode ?? 128 + (signal ?? 0));
  if (endedFor === 'memory' || (endedFor === undefined && endedBy === 'memory'))
    return { status: 'failed', returnCode: codes.memory, cause: 'memory' };
  if (endedFor !== undefined) return endedByRunner(evidence, endedFor, code, codes);
  if (endedBy === 'time') return { status: 'terminated', returnCode: codes.time, cause: 'time' };
  if (endedBy === 'allocation')
    return { status: 'terminated', returnCode: code || TERMINATED_CODE, cause: 'allocation' };
  if (endedBy !== undefined)
    return { status: 'failed', returnCode: KILLED_CODE, cause: endedBy === 'cancel' ? 'canceled' : 'node' };
  if (isUnproven(evidence)) return { status: 'failed', returnCode: code, cause: 'unproven' };
  // Slurm also continues a job that it had suspended: nothing asked that one to end.
  if (code === 0) return exitedWith0(evidence, 'failed', evidence.asked?.isCertain === true);
  return { status: 'failed', ...byItself(evidence, code, codes) };
}

function endedByRunner(evidence: Evidence, endedFor: EndedFor, code: number, codes: ExitCodes): Verdict {
  if (code === 0) return exitedWith0(evidence, 'terminated', true);
  const status = 'terminated';
  if (endedFor === 'cancel') return { status, returnCode: code, cause: 'canceled' };
  if (endedFor === 'deadline' || endedFor === 'timeout') {
    // Slurm may kill a step at its time limit before the runner does.
    const isKilled = evidence.wasKilled === true || code === KILLED_CODE;
    return { status, returnCode: isKilled ? codes.time : code, cause: 'time' };
  }
  const { allocationEnd } = evidence;
  if (allocationEnd === 'limit') return { status, returnCode: code, cause: 'time' };
  if (allocationEnd !== undefined) return { status, returnCode: code, cause: 'allocation' };
  return { status, returnCode: code, cause: isUnproven(evidence) ? 'unproven' : 'stopped' };
}

/** Its outputs say whether its work is done; a signal to end that it handled, that it may not be. */
function exitedWith0(
  { missingOutputs = [], staleOutputs = [], failsForStale: fails = false }: Evidence,
  bad: 'failed' | 'terminated',
  wasAsked: boolean,
): Verdict {
  if (missingOutputs.length > 0) return { status: bad, returnCode: MISSING_OUTPUT, cause: 'missing_output' };
  if (fails && staleOutputs.length > 0) return { status: bad, returnCode: MISSING_OUTPUT, cause: 'stale_output' };
  const cause = staleOutputs.length > 0 ? 'stale_output' : wasAsked ? 'asked' : undefined;
  return { status: 'completed', returnCode: 0, ...(cause === undefined ? {} : { cause }) };
}

/** Nothing that is known ended it. */
function byItself({ shortage, memoryShare = 0 }: Evidence, code: number, codes: ExitCodes): Omit<Verdict, 'status'> {
  // SIGKILL of an unknown sender counts as too little memory only if the attempt had used nearly what it asked for.
  if (code === KILLED_CODE && memoryShare >= NEAR_LIMIT) return { returnCode: codes.memory, cause: 'memory' };
  const cause = causeOfCode(code);
  return { returnCode: code, cause: cause === 'exit' && shortage !== undefined ? 'disk' : cause };
}

/** What a return code says alone. */
function causeOfCode(code: number): CauseCode {
  if (code === NOT_FOUND) return 'not_found';
  if (code === NOT_EXECUTABLE) return 'not_executable';
  const signal = signalName(code - 128);
  if (signal === undefined) return 'exit';
  return signal === 'SIGKILL' ? 'killed' : CRASHES.has(signal) ? 'crash' : 'signal';
}

/** A result whose reporter gave no cause: Torc's own runner, or a program of a user. */
export interface Uncaused {
  readonly status: JobStatus;
  readonly returnCode: number;
}

/**
 * The cause that a status and a return code prove; undefined where they may mean several things. Torc's own runner reports 1 for a
 * missing output too, the code for memory for every SIGKILL, and signals from any sender.
 */
export function causeOfRecord({ status, returnCode }: Uncaused, codes: ExitCodes): CauseCode | undefined {
  if (!ENDED_BADLY.has(status)) return undefined;
  if (returnCode === LOST_CODE) return 'lost';
  if (status === 'terminated') return returnCode === codes.time ? 'time' : undefined;
  const hasFailed = FAILED.has(status) && returnCode !== 0;
  return !hasFailed || isAmbiguous(returnCode, codes) ? undefined : causeOfCode(returnCode);
}

const isAmbiguous = (code: number, { memory, time }: ExitCodes): boolean =>
  [memory, time, MISSING_OUTPUT, KILLED_CODE, TERMINATED_CODE].includes(code);

/** How an attempt ended, as a record of it says; `codes` are those of its workflow. */
export function storedEndOf(
  { status, return_code: returnCode, cause_code: stored, cause }: RecordOfEnd,
  codes: ExitCodes,
): StoredEnd {
  return { status, returnCode, causeCode: stored ?? causeOfRecord({ status, returnCode }, codes), cause };
}

interface RecordOfEnd {
  readonly status: JobStatus;
  readonly return_code: number;
  readonly cause_code?: CauseCode | null | undefined;
  readonly cause?: string | null | undefined;
}
