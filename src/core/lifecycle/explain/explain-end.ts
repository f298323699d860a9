import { CAUSES, didOf, endReasonOf } from '../../attempt/cause.ts';
import type { CauseCode } from '../../contract/cause-code.ts';
import { hasReached } from '../../attempt/timeout.ts';
import { UNSUCCESSFUL } from '../../job/statuses.ts';
import type { AttemptEnd, Explanation, JobFacts, Reason } from './job-facts.ts';
import { standing } from './explain-wait.ts';
import { partOfSize } from '../../quantity/size-text.ts';
import { formatDuration } from '../../quantity/duration.ts';
import { timeText } from '../../quantity/time-text.ts';

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
  const found = withRun(withCutOutput(withMemoryUse(explainedEnd(job, end), job, end), job), job);
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

/** A job that completed too: not every program looks whether what it wrote was written. */
function withCutOutput(found: End, { id, outputCut, end }: JobFacts): End {
  if (outputCut === undefined) return found;
  const message = `its output may be cut: ${outputCut.why} (${outputCut.folder})`;
  return {
    ...found,
    reasons: [...found.reasons, { code: 'output_cut', message }],
    next: [
      ...found.next,
      ...(end?.status === 'completed' ? [`make room, and run it again: torc jobs reset-status ${id} --reinit`] : []),
    ],
  };
}

/** A job that used more memory than it asked for, and was not ended for it: the next one may lack what it took. */
function withMemoryUse(
  found: End,
  { workflow, need, hasDefaultNeed }: JobFacts,
  { peakMemoryBytes = 0 }: AttemptEnd,
): End {
  const isOver = hasDefaultNeed !== true && need.memory_bytes > 0 && peakMemoryBytes > need.memory_bytes;
  if (!isOver || found.reasons.some(({ code }) => code === 'out_of_memory')) return found;
  const message = `it used more memory than it asked for: ${partOfSize(peakMemoryBytes, need.memory_bytes)}`;
  return {
    ...found,
    reasons: [...found.reasons, { code: 'memory_exceeded', message }],
    next: [...found.next, `ask for what it used: torc workflows correct-resources ${workflow.id}`],
  };
}

function canceled({ id, dependencies, cause, workflow, startedAt, end }: JobFacts): End {
  const again = `run it again: torc jobs reset-status ${id} --reinit`;
  const unsuccessful = dependencies.filter(({ status }) => UNSUCCESSFUL.has(status));
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

/** Why it ended as it did: the sentence of its cause, what is known besides, and what a person does next. */
function explainedEnd(job: JobFacts, end: AttemptEnd): End {
  const reason = endReasonOf(end);
  const code = end.status === 'completed' ? onHost(end) : ` with exit code ${end.returnCode}`;
  return {
    headline: `${didOf(end.status)} after ${timeText(end.seconds)}${code}`,
    reasons: [...(reason === undefined ? [] : [reason]), ...besides(job, end)],
    next: reason === undefined ? [] : nextOf(job, end),
  };
}

function nextOf(job: JobFacts, end: AttemptEnd): string[] {
  const cause = end.causeCode ?? undefined;
  if (isAtTimeout(job, end)) return afterTimeout(job);
  return end.handlerLimit === undefined ? nextAfter(cause, job) : [giveMore(job)];
}

const isAtTimeout = ({ timeout }: JobFacts, { status, causeCode, seconds }: AttemptEnd): boolean =>
  status !== 'completed' && causeCode === 'time' && hasReached(timeout, seconds);

/** Neither a recovery nor a correction of requirements raises a timeout: a person set it. */
const afterTimeout = ({ id, timeout }: JobFacts): string[] => [
  `if it hung, run it again: torc jobs reset-status ${id} --reinit; on_timeout of a failure handler does that by itself`,
  `if it needs more time: torc jobs update ${id} --timeout ${twice(timeout)}, then torc jobs reset-status ${id} --reinit`,
];

const twice = (timeout: JobFacts['timeout']): string => formatDuration(2 * (timeout?.seconds ?? 0));

/** What is known besides the cause. */
function besides(job: JobFacts, end: AttemptEnd): Reason[] {
  const { need } = job;
  const { causeCode, seconds, peakMemoryBytes = 0, cause } = end;
  if (causeCode === 'time' && !isAtTimeout(job, end)) {
    const message = `it asked for ${timeText(need.runtime_seconds)} and had run for ${timeText(seconds)}`;
    return [{ code: 'runtime', message }];
  }
  // Its words have what was measured.
  if (causeCode === 'memory' && peakMemoryBytes > 0 && cause === undefined)
    return [{ code: 'out_of_memory', message: `it used ${partOfSize(peakMemoryBytes, need.memory_bytes)}` }];
  return [];
}

const giveMore = ({ id, requirementsId }: JobFacts): string =>
  `give it more: torc resource-requirements update ${requirementsId}, then torc jobs reset-status ${id} --reinit`;

/** What a person does after an end of this cause, with the commands that do it. */
function nextAfter(cause: CauseCode | undefined, { id, workflow }: JobFacts): string[] {
  const again = `run it again: torc jobs reset-status ${id} --reinit`;
  if (cause === undefined) return ['read what it printed last'];
  const { again: repeats, next } = CAUSES[cause];
  switch (repeats) {
    case 'with more memory':
      return [
        `${next}: torc recover ${workflow.id}`,
        `ask for more memory without a run: torc workflows correct-resources ${workflow.id}`,
        'or do not enforce limits: execution_config.limit_resources: false',
      ];
    case 'with more time':
      return [
        `go on with the run: torc run ${workflow.id} --resume`,
        `${next}: torc workflows correct-resources ${workflow.id} raises its requirements`,
      ];
    case 'as it is':
      if (cause === 'stopped') return [`${next}: torc run ${workflow.id} --resume`, again];
      if (cause === 'lost') return [`run it and the others that were lost again: torc recover ${workflow.id}`, again];
      return again.startsWith(next) ? [again] : [next, again];
    case 'no':
      return cause === 'exit' || cause === 'crash' || cause === 'signal' ? [next] : [next, again];
  }
}

const onHost = ({ hostname }: AttemptEnd) => (hostname === undefined ? '' : ` on ${hostname}`);
