import type { ExplainedJob } from '../explain/explain.ts';
import type { Hint } from './next-lines.ts';

/** Why a job waits, or why it ended as it did: for people. `files` are the paths that are worth showing. */
export const explainedLines = (
  { facts, explanation, stderrTail }: ExplainedJob,
  files: readonly string[],
  hint: Hint,
): string[] => [
  `Job ${facts.id} (${facts.name}) ${explanation.headline}`,
  ...explanation.reasons.map(({ message }) => `  ${message}`),
  ...linesOf('Files:', files),
  ...linesOf('Last lines of its standard error:', stderrTail),
  ...linesOf(
    'Next:',
    explanation.next.map((each) => hint(each)),
  ),
];

/** The same for programs. Lines of a job are what a program wrote. */
export const explainedJson = ({ facts, explanation, paths, stderrTail }: ExplainedJob, hint: Hint) => ({
  job_id: facts.id,
  job_name: facts.name,
  workflow_id: facts.workflow.id,
  status: facts.status,
  kind: explanation.kind,
  headline: explanation.headline,
  reasons: explanation.reasons,
  next: explanation.next.map((each) => hint(each)),
  paths,
  ...(stderrTail.length === 0 ? {} : { stderr_tail: stderrTail }),
});

const linesOf = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
