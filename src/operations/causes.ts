import type { Client } from '../client/client.ts';
import { all } from '../client/every.ts';
import { standardExecution } from '../core/contract/execution.ts';
import type { Result } from '../core/contract/result.ts';
import type { Workflow } from '../core/contract/workflow.ts';
import { partOfSize } from '../core/quantity/size-text.ts';
import { needOf } from './explain/facts.ts';

/** A cause of a failure that was measured, or is stored with the result; an exit code does not say these. */
export interface Cause {
  readonly code: 'out_of_memory' | 'missing_output' | 'recorded';
  readonly message: string;
}

/** The exit code that a runner reports for a job that ended well and did not write its outputs. */
const MISSING_OUTPUT = 1;

/**
 * The measured causes of those of the results that failed: memory over the limit, missing outputs.
 *
 * The server is asked for whole lists, and only where an exit code gives reason to: a workflow may have thousands of
 * failures. Which outputs are missing is known of the last attempt only.
 */
export async function causesOf(
  client: Client,
  workflowId: number,
  results: readonly Result[],
  /** All results of their jobs, where the results are only some of them. */
  attempts: readonly Result[] = results,
): Promise<Map<Result, readonly Cause[]>> {
  const failed = results.filter(({ status }) => status === 'failed' || status === 'pending_failed');
  const found = new Map<Result, readonly Cause[]>();
  for (const result of results)
    if (result.cause && result.status !== 'completed')
      found.set(result, [
        { code: result.cause_code === 'memory' ? 'out_of_memory' : 'recorded', message: result.cause },
      ]);
  if (failed.length === 0) return found;
  const workflow = await client.getWorkflow({ params: { id: workflowId } });
  const oomExitCode = workflow.execution_config?.oom_exit_code ?? standardExecution.oom_exit_code;
  const killed = failed.filter(
    (each) => each.return_code === oomExitCode && (each.peak_memory_bytes ?? 0) > 0 && !found.has(each),
  );
  if (killed.length > 0) {
    const limits = await memoryLimits(client, workflowId);
    for (const result of killed) {
      const limit = limits.get(result.job_id);
      const peak = result.peak_memory_bytes ?? 0;
      if (limit !== undefined && peak > limit)
        found.set(result, [{ code: 'out_of_memory', message: `it used ${partOfSize(peak, limit)}` }]);
    }
  }
  const last = failed.filter((each) => each.return_code === MISSING_OUTPUT && each.run_id === workflow.run_id);
  if (last.length > 0) {
    const missing = await missingOutputs(client, workflow as Workflow & { id: number });
    for (const result of last) {
      const paths = missing.get(result.job_id);
      if (paths !== undefined && !found.has(result) && isLastAttempt(result, attempts))
        found.set(
          result,
          paths.map((path) => ({ code: 'missing_output', message: `${path} was not written` })),
        );
    }
  }
  return found;
}

const isLastAttempt = ({ job_id: job, run_id: run, attempt_id: attempt }: Result, attempts: readonly Result[]) =>
  !attempts.some((each) => each.job_id === job && each.run_id === run && (each.attempt_id ?? 1) > (attempt ?? 1));

/** In bytes, by the id of the job. */
async function memoryLimits(client: Client, workflow_id: number): Promise<Map<number, number>> {
  const jobs = await all((page) => client.listJobs({ query: { workflow_id, ...page } }));
  const records = await all((page) => client.listResourceRequirements({ query: { workflow_id, ...page } }));
  const needs = new Map(records.map((each) => [each.id, needOf(each).memory_bytes]));
  return new Map(
    jobs.flatMap(({ id, resource_requirements_id: requirements }) => {
      const bytes = needs.get(requirements as number);
      return bytes === undefined ? [] : [[id, bytes] as const];
    }),
  );
}

/** Paths of declared outputs that are not there, by the id of the job that should have written them. */
async function missingOutputs(client: Client, { id }: Workflow & { id: number }): Promise<Map<number, string[]>> {
  const files = await all((page) => client.listFiles({ query: { workflow_id: id, is_output: true, ...page } }));
  const absent = new Map(
    files.flatMap((file) => (typeof file.st_mtime === 'number' ? [] : [[file.id, file.path] as const])),
  );
  const found = new Map<number, string[]>();
  if (absent.size === 0) return found;
  const seen = new Set<string>();
  const relations = await all((page) => client.listJobFileRelationships({ params: { id }, query: page }));
  for (const { producer_job_id: job, file_id: file } of relations) {
    const path = absent.get(file);
    // A file is listed once for each job that reads it.
    if (path === undefined || typeof job !== 'number' || seen.has(`${job} ${file}`)) continue;
    seen.add(`${job} ${file}`);
    found.set(job, [...(found.get(job) ?? []), path]);
  }
  return found;
}
