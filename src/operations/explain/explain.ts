import type { Client } from '../../client/client.ts';
import { explain } from '../../core/lifecycle/explain/explain.ts';
import { currentEndOf, nodeOfJob } from '../../core/lifecycle/explain/known-job.ts';
import type { JobFacts, WholeExplanation } from '../../core/lifecycle/explain/job-facts.ts';
import { filesOfAttempt } from '../output/result-files.ts';
import { gatherFacts, type Here } from './facts.ts';
import { lastErrorLines } from './last-error-lines.ts';

export interface ExplainOptions extends Here {
  /**
   * The output folder of the run, for the paths of the job's files. Undefined for the caller of another machine: the server reads
   * what it may, and no path is named.
   */
  readonly outputDir: string | undefined;
}

export interface ExplainedJob {
  readonly facts: JobFacts;
  readonly explanation: WholeExplanation;
  /** The files of its last attempt, by what they are; empty before its first. They may be on another machine. */
  readonly paths: Readonly<Record<string, string | undefined>>;
  /** The last lines of the standard error of a job that did not complete, where this machine can read them. */
  readonly stderrTail: readonly string[];
}

/** Explains why a job waits, or why it ended as it did. */
export async function explainJob(
  client: Client,
  jobId: number,
  { outputDir, ...here }: ExplainOptions,
): Promise<ExplainedJob> {
  const { facts, known } = await gatherFacts(client, jobId, { ...here, outputDir });
  const { workflow } = known.of;
  const { result } = currentEndOf(known);
  const attempt = result ?? (facts.status === 'running' ? runningAttempt(facts, workflow.run_id ?? 0) : undefined);
  const paths: ExplainedJob['paths'] =
    attempt === undefined || outputDir === undefined
      ? {}
      : filesOfAttempt(workflow, attempt, nodeOfJob(known), outputDir);
  const hasFailed = facts.end !== undefined && facts.end.status !== 'completed';
  return {
    facts,
    explanation: explain(facts),
    paths,
    stderrTail: attempt !== undefined && hasFailed ? await lastErrorLines(client, workflow, attempt, outputDir) : [],
  };
}

/** The running attempt with the fields of a result, which determine the names of its files. */
const runningAttempt = ({ id, name, attempt, workflow }: JobFacts, runId: number) => ({
  job_id: id,
  job_name: name,
  attempt_id: attempt,
  run_id: runId,
  workflow_id: workflow.id,
});
