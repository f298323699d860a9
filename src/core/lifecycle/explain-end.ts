import { signalName } from '../contract/signal.ts';
import type { AttemptEnd, Explanation, JobFacts, Reason } from './job-facts.ts';
import { standing } from './explain-wait.ts';
import { partOfSize } from '../quantity/size-text.ts';
import { timeText } from '../quantity/time-text.ts';

/** The return code that the server stores for a job whose runner is lost, as Torc 1.0.0 does. */
const LOST = -128;
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

interface End {
  readonly headline: string;
  readonly reasons: readonly Reason[];
  readonly next: readonly string[];
}

export function explainEnd(job: JobFacts): Explanation {
  const { status, end } = job;
  if (status === 'canceled') return { kind: 'ended', ...canceled(job) };
  if (end === undefined) {
    const headline = `${status}, and nothing is known of how: it has no result`;
    return { kind: 'ended', headline, reasons: [], next: [] };
  }
  const found = withRun(withMemoryUse(explainedEnd(job, end), job, end), job);
  if (status !== 'pending_failed') return { kind: 'ended', ...found };
  return {
    kind: 'ended',
    headline: `failed and waits for a decision; it ${found.headline}`,
    reasons: found.reasons,
    next: [`run it again: torc jobs reset-status ${job.id} --reinit`, ...found.next],
  };
}

/** A job that was up to date when the present run began. */
function withRun(found: End, { endedInRun: run }: JobFacts): End {
  if (run === undefined) return found;
  const message = `that was in run ${run}; the present run did not run it again`;
  return { ...found, reasons: [...found.reasons, { code: 'earlier_run', message }] };
}

/** A job that used more memory than it asked for, and was not ended for it: the next one may lack what it took. */
function withMemoryUse(
  found: End,
  { workflow, need, hasDefaultNeed }: JobFacts,
  { peakMemoryBytes = 0 }: AttemptEnd,
): End {
  const isOver = hasDefaultNeed !== true && need.memory_bytes > 0 && peakMemoryBytes > need.memory_bytes;
  if (!isOver || found.reasons.some(({ code }) => code === 'out_of_memory' || code === 'handler_limit')) return found;
  const message = `it used more memory than it asked for: ${partOfSize(peakMemoryBytes, need.memory_bytes)}`;
  return {
    ...found,
    reasons: [...found.reasons, { code: 'memory_exceeded', message }],
    next: [...found.next, `ask for what it used: torc workflows correct-resources ${workflow.id}`],
  };
}

function canceled({ id, dependencies, cause, workflow, startedAt, end }: JobFacts): End {
  const again = `run it again: torc jobs reset-status ${id} --reinit`;
  const unsuccessful = dependencies.filter(({ status }) => ['failed', 'terminated', 'canceled'].includes(status));
  if (unsuccessful.length > 0 && cause !== undefined) {
    return {
      headline: `was canceled because ${standing(cause)}`,
      reasons: unsuccessful.map((each) => ({
        code: 'canceled_by_dependency',
        message: standing(each),
        job_id: each.id,
      })),
      next: [
        `torc jobs explain ${cause.id}`,
        'to run in spite of failures: cancel_on_blocking_job_failure: false in the job',
      ],
    };
  }
  if (end?.causeCode === 'canceled') {
    const headline = `was canceled by a user while it ran (${timeText(end.seconds)}${onHost(end)})`;
    const message = `it ended with return code ${end.returnCode}`;
    return { headline, reasons: [{ code: 'canceled_by_user', message }], next: [again] };
  }
  const when = startedAt === undefined ? 'before it began' : `while it ran (since ${startedAt})`;
  if (!workflow.isCanceled) {
    const message = `a user canceled it, or workflow ${workflow.id} in an earlier run`;
    return { headline: `was canceled ${when}`, reasons: [{ code: 'canceled_by_user', message }], next: [again] };
  }
  return {
    headline: `was canceled ${when}`,
    reasons: [{ code: 'canceled_with_workflow', message: `workflow ${workflow.id} was canceled` }],
    next: [`torc workflows reset-status ${workflow.id} --failed-only --reinitialize`],
  };
}

function explainedEnd(job: JobFacts, end: AttemptEnd): End {
  const { returnCode, status } = end;
  const cause: string | undefined = end.cause;
  const after = `after ${timeText(end.seconds)}`;
  if (returnCode === LOST) {
    return {
      headline: end.cause === undefined ? 'failed because its runner was lost' : `failed because ${end.cause}`,
      reasons: [{ code: 'runner_lost', message: `the runner${onHost(end)} went away while the job ran` }],
      next: [
        `run it and the others that were lost again: torc recover ${job.workflow.id}`,
        `run it again alone: torc jobs reset-status ${job.id} --reinit`,
      ],
    };
  }
  if (status === 'completed') return { headline: `completed ${after}${onHost(end)}`, reasons: [], next: [] };
  if (end.handlerLimit !== undefined) return lastByHandler(job, end);
  const memory = outOfMemory(job, end);
  if (memory !== undefined) return memory;
  if (status === 'terminated') return terminated(job, end);
  if (returnCode === 1 && job.missingOutputs.length > 0) return missing(job, after);
  const signal = signalName(returnCode - 128);
  if (end.causeCode === 'disk') {
    return {
      headline: `failed ${after} with exit code ${returnCode}: ${end.cause}`,
      reasons: [
        { code: 'no_room', message: 'what it could not write may be why it failed, and its output may be cut' },
      ],
      next: [`make room, and run it again: torc jobs reset-status ${job.id} --reinit`],
    };
  }
  if (cause !== undefined) {
    return {
      headline: `failed ${after}: ${cause}`,
      reasons: [{ code: 'ended_from_outside', message: `the job did not end by itself (return code ${returnCode})` }],
      next: [`run it again: torc jobs reset-status ${job.id} --reinit`],
    };
  }
  if (returnCode > 128 && signal !== undefined) {
    return {
      headline: `failed ${after}: ended by ${signal}`,
      reasons: [{ code: 'signal', message: senderOf(signal) }],
      next: ['read what it printed last'],
    };
  }
  return {
    headline: `failed ${after} with exit code ${returnCode}`,
    reasons: exitReasons(returnCode),
    next: ['read what it printed last'],
  };
}

/** Its failure handler raised what it lacked, as far as it may. */
function lastByHandler({ id, requirementsId, need }: JobFacts, end: AttemptEnd): End {
  const cause = end.cause ?? 'its failure handler gives it no more';
  const peak = end.peakMemoryBytes ?? 0;
  const used = peak > need.memory_bytes ? [`it used ${partOfSize(peak, need.memory_bytes)}`] : [];
  return {
    headline: `failed after ${timeText(end.seconds)}: ${cause}`,
    reasons: [cause, ...used].map((message) => ({ code: 'handler_limit', message })),
    next: [
      `give it more: torc resource-requirements update ${requirementsId}, then torc jobs reset-status ${id} --reinit`,
    ],
  };
}

/** Only if that is proven, because other programs send SIGKILL too. */
function outOfMemory({ workflow, need }: JobFacts, end: AttemptEnd): End | undefined {
  const { returnCode, status, peakMemoryBytes = 0, seconds, cause, causeCode } = end;
  const isMeasured = returnCode === workflow.oomExitCode && peakMemoryBytes > need.memory_bytes;
  if (status !== 'failed' || !(isMeasured || causeCode === 'memory')) return undefined;
  const used = peakMemoryBytes > 0 ? `it used ${partOfSize(peakMemoryBytes, need.memory_bytes)}, and` : 'it';
  return {
    headline: `failed after ${timeText(seconds)}: it used more memory than it asked for`,
    reasons: [
      {
        code: 'out_of_memory',
        message: `${used} was killed (return code ${returnCode})`,
      },
      ...(cause === undefined ? [] : [{ code: 'out_of_memory', message: cause }]),
    ],
    next: [
      `run it again with more memory: torc recover ${workflow.id}`,
      `ask for more memory without a run: torc workflows correct-resources ${workflow.id}`,
      'or do not enforce limits: execution_config.limit_resources: false',
    ],
  };
}

function terminated({ id, workflow, need }: JobFacts, end: AttemptEnd): End {
  const { returnCode, seconds, secondsToRunnersEnd: left } = end;
  const asked = `it asked for ${timeText(need.runtime_seconds)} and had run for ${timeText(seconds)}`;
  if (returnCode === workflow.timeoutExitCode) {
    return {
      headline: `was killed after ${timeText(seconds)}: the time of its runner was up`,
      reasons: [
        {
          code: 'timeout',
          message: `the runner${onHost(end)} asked it to end, then sent SIGKILL (return code ${returnCode})`,
        },
        { code: 'runtime', message: asked },
      ],
      next: [
        `ask for more time: torc workflows correct-resources ${workflow.id}`,
        'or handle the termination signal and save what was done',
      ],
    };
  }
  const isNearEnd = left !== undefined && left <= workflow.endingSeconds;
  const why = isNearEnd ? 'the time of the runner was up' : 'the runner was stopped or its workflow canceled';
  return {
    headline: `was ended by its runner after ${timeText(seconds)} (return code ${returnCode})`,
    reasons: [{ code: isNearEnd ? 'timeout' : 'asked_to_end', message: `${why}; ${asked}` }],
    next: [`run it again: torc jobs reset-status ${id} --reinit`],
  };
}

function missing({ missingOutputs, id }: JobFacts, after: string): End {
  return {
    headline: `failed ${after}: declared output files are missing`,
    reasons: missingOutputs.map((path) => ({ code: 'missing_output', message: `${path} was not written` })),
    next: [`make the command write them, or take them from its outputs, then torc jobs reset-status ${id} --reinit`],
  };
}

function exitReasons(code: number): Reason[] {
  if (code === NOT_FOUND) return [{ code: 'command_not_found', message: 'the shell did not find the command' }];
  if (code === NOT_EXECUTABLE)
    return [{ code: 'cannot_execute', message: 'the command is there and cannot be executed' }];
  return [{ code: 'exit_code', message: `the command itself ended with ${code}` }];
}

/** The likely sender of a signal that the runner did not send. */
function senderOf(signal: string): string {
  switch (signal) {
    case 'SIGKILL':
      return 'not sent by the runner: by the system because memory was exhausted (see dmesg), by Slurm, or by a user';
    case 'SIGSEGV':
    case 'SIGBUS':
    case 'SIGFPE':
    case 'SIGILL':
      return 'the program crashed';
    case 'SIGABRT':
      return 'the program gave up by itself';
    case 'SIGXFSZ':
      return 'it wrote a file larger than it may (ulimit -f)';
    case 'SIGXCPU':
      return 'it used more CPU time than it may (ulimit -t)';
    case 'SIGPIPE':
      return 'it wrote to a pipe that no process reads any more';
    default:
      return 'not sent by the runner: by the program itself, or by another process';
  }
}

const onHost = ({ hostname }: AttemptEnd) => (hostname === undefined ? '' : ` on ${hostname}`);
