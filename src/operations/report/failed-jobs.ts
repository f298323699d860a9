import type { StoredEnd } from '../../core/attempt/cause.ts';
import { exitCodesOf, storedEndOf } from '../../core/attempt/judge.ts';
import { filesOf } from '../../core/contract/files/job.ts';
import type { Client } from '../../client/client.ts';
import type { JobStatus } from '../../core/job/job-statuses.ts';
import type { Result } from '../../core/contract/result.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { lastLines } from '../output/last-lines.ts';

interface FailedOptions {
  readonly atMost: number;
  /** Of these, in this order. */
  readonly statuses: readonly JobStatus[];
  readonly outputDir: string;
}

/** A job that did not end well. */
export interface FailedJob {
  readonly result: Result;
  readonly end: StoredEnd;
  /** Undefined when the job was deleted meanwhile. */
  readonly command: string | undefined;
  /** The file with its standard error, or else its standard output; undefined when neither is kept. */
  readonly path: string | undefined;
  /** The last lines of that file, where this machine can read it. */
  readonly tail: readonly string[];
}

/** The first jobs of a workflow that did not end well, with what a person needs to see why. */
export async function failedJobs(
  client: Client,
  workflow: Workflow & { readonly id: number },
  { atMost, statuses, outputDir }: FailedOptions,
): Promise<FailedJob[]> {
  let results: Result[] = [];
  for (const status of statuses) {
    if (results.length >= atMost) break;
    const { items } = await client.listResults({ query: { workflow_id: workflow.id, status, limit: atMost } });
    results = [...results, ...items];
  }
  const codes = exitCodesOf(workflow.execution_config);
  const found: FailedJob[] = [];
  for (const result of results.slice(0, atMost)) {
    const { stdout, stderr } = filesOf(
      { workflowId: workflow.id, runId: result.run_id, outputDir, execution: workflow.execution_config ?? {} },
      { id: result.job_id, attempt_id: result.attempt_id ?? 1, name: result.job_name ?? '' },
    );
    const path = stderr ?? stdout;
    found.push({
      result,
      end: storedEndOf(result, codes),
      command: (await client.getJob({ params: { id: result.job_id } }).catch(() => undefined))?.command,
      path,
      tail: path === undefined ? [] : lastLines(path),
    });
  }
  return found;
}
