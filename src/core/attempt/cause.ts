import type { CauseCode } from '../contract/cause-code.ts';
import type { JobStatus } from '../job/job-statuses.ts';
import { signalName } from './signal.ts';

/** What `torc recover` does about a job that ended for a cause, without being asked for more. */
export type Again = 'as it is' | 'with more memory' | 'with more time' | 'no';

/** One entry of the vocabulary of ends. */
export interface Cause {
  /** What it did: of one job, and of several. */
  readonly did: readonly [one: string, several: string];
  /** In a count of attempts; absent where the exit code or the signal says it. */
  readonly short?: string;
  /** The end in one sentence, the same for every reader. */
  readonly sentence: (returnCode: number) => string;
  /** The same where words about this attempt follow; absent: that sentence. */
  readonly before?: string;
  /** What proves it: for the reference page. */
  readonly proof: string;
  readonly again: Again;
  /** The rule of a failure handler that is about it; rules by exit code are about every failure. */
  readonly rule?: 'on_oom' | 'on_timeout' | 'on_node_fail';
  /** What a person does next. */
  readonly next: string;
  /** The code of the reason in explanations, which programs read. */
  readonly reason: string;
}

/** 128 and a number stands for a signal, as shells report it. */
const SIGNALED = 128;

const signalIn = (returnCode: number): string => signalName(returnCode - SIGNALED) ?? 'a signal';

const read = 'read what it printed last';
const again = 'run it again';

/** The causes, in the order in which a person reads them. */
export const CAUSES: Readonly<Record<CauseCode, Cause>> = {
  memory: {
    did: ['had too little memory', 'had too little memory'],
    short: 'out of memory',
    sentence: () => 'it used more memory than it may',
    proof: 'the runner, the kernel or Slurm killed it for its memory, or it was killed at 90 % of its request or more',
    again: 'with more memory',
    rule: 'on_oom',
    next: 'run it again with more memory',
    reason: 'out_of_memory',
  },
  time: {
    did: ['had too little time', 'had too little time'],
    short: 'out of time',
    sentence: () => 'its time was up: its own limit, or the end of its runner',
    before: 'its time was up',
    proof: 'the runner ended it at the timeout of the job or at its own end, or Slurm reports TIMEOUT',
    again: 'with more time',
    rule: 'on_timeout',
    next: 'ask for more time, or handle the signal before the end and save what was done',
    reason: 'timeout',
  },
  node: {
    did: ['lost its node', 'lost their node'],
    short: 'lost node',
    sentence: () => 'its node failed, or the process that started it was killed',
    proof: 'Slurm reports NODE_FAIL or the end of the node, or the srun of the step was killed',
    again: 'as it is',
    rule: 'on_node_fail',
    next: again,
    reason: 'ended_from_outside',
  },
  allocation: {
    did: ['ended with its allocation', 'ended with their allocation'],
    short: 'end of the allocation',
    sentence: () => 'its allocation was being ended',
    proof: 'Slurm ended the step, or says that the allocation was canceled, preempted or requeued',
    again: 'as it is',
    next: again,
    reason: 'ended_from_outside',
  },
  lost: {
    did: ['lost its runner', 'lost their runner'],
    short: 'lost runner',
    sentence: () => 'its runner was lost while it ran',
    proof: 'the runner or its allocation is proven to be gone, and nothing proves an end of the job',
    again: 'as it is',
    next: again,
    reason: 'runner_lost',
  },
  stopped: {
    did: ['was stopped with its runner', 'were stopped with their runner'],
    short: 'stopped',
    sentence: () => 'its runner was stopped',
    proof: 'the runner asked it to end, because it was stopped itself',
    again: 'as it is',
    next: 'go on with the run',
    reason: 'asked_to_end',
  },
  canceled: {
    did: ['was canceled by a user', 'were canceled by a user'],
    sentence: () => 'a user canceled it',
    proof: 'a user canceled the job, its step or its workflow',
    again: 'as it is',
    next: again,
    reason: 'canceled_by_user',
  },
  killed: {
    did: ['was killed; by whom is unknown', 'were killed; by whom is unknown'],
    sentence: () => 'SIGKILL ended it, and nothing says who sent it',
    proof: 'SIGKILL ended it, and neither the runner nor Slurm nor its use of memory explains that',
    again: 'as it is',
    next: 'look for the sender: another user, a daemon of the node, or the kernel (dmesg)',
    reason: 'signal',
  },
  unproven: {
    did: ['ended with 0 while it was being ended', 'ended with 0 while they were being ended'],
    short: 'ended from outside',
    sentence: () => 'it ended with 0 after a signal to end that it does not handle: a part of its work may be missing',
    proof: 'it got a signal to end before its end, and its first process has no handler for it',
    again: 'as it is',
    next: again,
    reason: 'ended_from_outside',
  },
  disk: {
    did: ['failed on a disk without room for its output', 'failed on a disk without room for their output'],
    short: 'no room on the disk',
    sentence: (code) => `the command itself ended with ${code} while there was no room for its output`,
    proof: 'the file system of its output was full, or the quota of the user used up, when it failed',
    again: 'as it is',
    next: 'make room, and run it again',
    reason: 'no_room',
  },
  not_found: {
    did: ['could not start its command', 'could not start their command'],
    sentence: (code) => `the shell did not find the command (exit code ${code})`,
    proof: 'exit code 127',
    again: 'no',
    next: 'correct the command, or load what it needs in its script',
    reason: 'command_not_found',
  },
  not_executable: {
    did: ['could not execute its command', 'could not execute their command'],
    sentence: (code) => `the command is there and cannot be executed (exit code ${code})`,
    proof: 'exit code 126',
    again: 'no',
    next: 'make the file executable, and correct its first line',
    reason: 'cannot_execute',
  },
  crash: {
    did: ['crashed', 'crashed'],
    sentence: (code) => `the program crashed with ${signalIn(code)}`,
    proof: 'SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS or SIGTRAP ended it',
    again: 'no',
    next: read,
    reason: 'signal',
  },
  signal: {
    did: ['was ended by a signal', 'were ended by a signal'],
    sentence: (code) => `${signalIn(code)} ended it${SENDERS[signalIn(code)] ?? ', and its runner did not send it'}`,
    proof: 'another signal ended it, and neither the runner nor Slurm explains that',
    again: 'no',
    next: read,
    reason: 'signal',
  },
  missing_output: {
    did: ['did not write a declared output', 'did not write a declared output'],
    short: 'missing output',
    sentence: () => 'it ended with 0 and did not write a declared output',
    proof: 'it exited with 0, and its runner did not find a declared output',
    again: 'no',
    next: 'make the command write it, or take it from its outputs',
    reason: 'missing_output',
  },
  stale_output: {
    did: ['did not write a declared output anew', 'did not write a declared output anew'],
    short: 'stale output',
    sentence: () => 'it ended with 0 and did not touch a declared output that was there before',
    proof: 'it exited with 0, and a declared output is the same file with the same times and size as before',
    again: 'no',
    next: 'make the command write it, or take it from its outputs',
    reason: 'stale_output',
  },
  asked: {
    did: ['was asked to end and ended with 0', 'were asked to end and ended with 0'],
    sentence: () => 'it was asked to end and ended with 0: it handles that, and its work may be incomplete',
    proof: 'the runner or Slurm asked it to end, its first process handles the signal, and it exited with 0',
    again: 'no',
    next: 'run it again if it did not finish its work',
    reason: 'asked_to_end',
  },
  exit: {
    did: ['failed by itself', 'failed by themselves'],
    sentence: (code) => `the command itself ended with ${code}`,
    proof: 'it exited with another code than 0, and nothing had asked it to end',
    again: 'no',
    next: read,
    reason: 'exit_code',
  },
  dependency: {
    did: ['was not run because of another job', 'were not run because of another job'],
    sentence: () => 'a job that it waits for did not succeed',
    proof: 'the server canceled it when a job that it waits for failed or was stopped',
    again: 'no',
    next: 'repair the job that failed',
    reason: 'canceled_by_dependency',
  },
  adopted: {
    did: ['was taken as made', 'were taken as made'],
    sentence: () => 'it did not run: its outputs were there and were taken as made',
    proof: '`torc run --touch` found its outputs, or those of all jobs that read them',
    again: 'no',
    next: 'run it again with `--force NAME` if its outputs are not what its command makes',
    reason: 'adopted',
  },
};

/** What usual senders of signals say with them. */
const SENDERS: Readonly<Record<string, string>> = {
  SIGXFSZ: ': it wrote a file larger than it may (ulimit -f)',
  SIGXCPU: ': it used more CPU time than it may (ulimit -t)',
  SIGPIPE: ': it wrote to a pipe that no process reads any more',
};

/** How an attempt ended, as it is stored. */
export interface StoredEnd {
  readonly status: JobStatus;
  readonly returnCode: number;
  readonly causeCode?: CauseCode | null | undefined;
  /** What is known besides the code, in words. */
  readonly cause?: string | null | undefined;
}

/** What became of an attempt, in two words; one that waits for a decision has failed. */
export const didOf = (status: JobStatus): string => DID[status] ?? 'failed';

const DID: Partial<Record<JobStatus, string>> = {
  completed: 'completed',
  terminated: 'was terminated',
  canceled: 'was canceled',
};

/** Why an attempt ended, in one sentence: every face of Torc says this one. Undefined for a success without a cause. */
export function sentenceOf(end: StoredEnd): string | undefined {
  const { status, returnCode, causeCode, cause } = end;
  if (status === 'completed' && !causeCode) return undefined;
  const known = causeCode ? CAUSES[causeCode] : undefined;
  if (cause && known?.before !== undefined) return `${known.before}: ${cause}`;
  const sentence = known?.sentence(returnCode) ?? withoutCause(end);
  return cause ? `${sentence}: ${cause}` : sentence;
}

/** Results of Torc's own runner have no cause, and two of its codes have two meanings. */
function withoutCause({ status, returnCode }: StoredEnd): string {
  if (status === 'terminated') return `its runner ended it (return code ${returnCode})`;
  if (returnCode === 1) return 'the command itself ended with 1, or it did not write a declared output';
  const signal = signalName(returnCode - SIGNALED);
  if (signal === 'SIGKILL') return 'SIGKILL ended it: for its memory, or another process sent it';
  return signal === undefined ? `it ended with ${returnCode}` : `${signal} ended it`;
}

/** The reason as programs read it: a code, and the sentence. */
export interface EndReason {
  readonly code: string;
  readonly message: string;
}

/** Why an attempt ended, for a program; undefined for a success without a cause. */
export function endReasonOf(end: StoredEnd): EndReason | undefined {
  const message = sentenceOf(end);
  return message === undefined
    ? undefined
    : { code: end.causeCode ? CAUSES[end.causeCode].reason : 'recorded', message };
}
