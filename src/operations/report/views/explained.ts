import { attemptLines, MOST_ATTEMPTS } from '../../../core/attempt/history.ts';
import { grouped } from '../../../core/quantity/count-text.ts';
import type { ExplainedJob } from '../../explain/explain.ts';
import type { Hint } from './next-lines.ts';

/** Why a job waits, or why it ended as it did: for people. `files` are the paths that are worth showing. */
export const explainedLines = (explained: ExplainedJob, files: readonly string[], hint: Hint): string[] => {
  const { facts, explanation, stderrTail } = explained;
  return [
    `Job ${facts.id} (${facts.name}) ${explanation.headline}`,
    ...explanation.reasons.map(({ message }) => `  ${message}`),
    ...linesOf('Attempts:', historyLines(explained, hint)),
    ...linesOf('Files:', files),
    ...linesOf('Last lines of its standard error:', stderrTail),
    ...linesOf(
      'Next:',
      explanation.next.map((each) => hint(each)),
    ),
  ];
};

/** Whether the headline is about the last attempt. */
const showsLast = ({ facts: { end }, explanation: { kind } }: ExplainedJob): boolean =>
  kind === 'runs' || (kind === 'ended' && end !== undefined);

/** Nothing where the headline is about the only attempt. */
function historyLines(explained: ExplainedJob, hint: Hint): string[] {
  const { id, workflow, recordedLeftOut = 0 } = explained.facts;
  const { attempts } = explained.explanation;
  if (attempts.length <= Number(showsLast(explained))) return [];
  const before = Math.max(0, attempts.length - MOST_ATTEMPTS) + recordedLeftOut;
  const list = `torc results list ${workflow.id} --job-id ${id} --all-runs`;
  return [
    ...(before > 0 ? [`${grouped(before)} more before these: ${hint(list)}`] : []),
    ...attemptLines(attempts, MOST_ATTEMPTS),
  ];
}

/** The same for programs. Lines of a job are what a program wrote. */
export const explainedJson = (explained: ExplainedJob, hint: Hint) => {
  const { facts, explanation, paths, stderrTail } = explained;
  return {
    job_id: facts.id,
    job_name: facts.name,
    workflow_id: facts.workflow.id,
    status: facts.status,
    kind: explanation.kind,
    headline: explanation.headline,
    reasons: [...explanation.reasons, ...reasonsBefore(explained)],
    next: explanation.next.map((each) => hint(each)),
    attempts: explanation.attempts,
    ...(facts.recordedLeftOut ? { attempts_left_out: facts.recordedLeftOut } : {}),
    paths,
    ...(stderrTail.length === 0 ? {} : { stderr_tail: stderrTail }),
  };
};

/** Why it runs again, among the reasons: as before `attempts` was there. */
const reasonsBefore = (explained: ExplainedJob) =>
  explained.explanation.attempts
    .slice(0, showsLast(explained) ? -1 : undefined)
    .slice(-MOST_ATTEMPTS)
    .flatMap(({ kind: of, attempt_id: attempt, why }) =>
      why === undefined
        ? []
        : of === 'no_result'
          ? [{ code: 'attempt_without_result', message: `attempt ${attempt} left no result: ${why}` }]
          : [{ code: 'earlier_attempt', message: `attempt ${attempt} ended: ${why}` }],
    );

const linesOf = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
