import { Refusal } from '../../core/contract/refusals.ts';
import type { NewResult } from '../../core/contract/result.ts';
import type { Handlers } from '../handlers.ts';
import { missingRecord, refuseOtherRun } from '../records/find.ts';
import { createHeldAttempts } from '../records/job/held-attempts.ts';
import type { Input, Reply } from '../../core/contract/routes.ts';
import { jobOf } from '../records/rows/job.ts';
import { Sliced } from '../store/sliced.ts';
import type { Store } from '../records/store.ts';
import { createAccept } from './accept.ts';
import { type End, fenceOff } from './end.ts';
import { type EndingJob, resultReportQueries } from './queries.ts';
import { createStart } from './start.ts';

/** Torc's routes for what `exchange` does in one request. */
export const resultHandlers = (store: Store) => {
  const { db, find } = store;
  const queries = resultReportQueries(db);
  const held = createHeldAttempts(db, store.changes);
  const accept = createAccept(store, queries);
  const start = createStart(store, queries);

  /** Each entry is independent, so a long batch is processed part by part; each part is on disk before the next. */
  function* batch(
    workflowId: number,
    completions: Input<'batchCompleteJobs'>['body']['completions'],
  ): Generator<undefined, Reply<'batchCompleteJobs'>> {
    const completed: number[] = [];
    const errors: Reply<'batchCompleteJobs'>['errors'] = [];
    for (const [index, { job_id: jobId, status, run_id: runId, result, files, inputs }] of completions.entries()) {
      if (index > 0 && index % AT_ONCE === 0) yield;
      try {
        refuseDisagreement(result, { job_id: jobId, workflow_id: workflowId, run_id: runId, status });
        refuseOtherRun(runId, find.run(workflowId).run_id);
        const end = { ...resultEndOf(result, workflowId, runId), files, inputs };
        refuseLate(end, result.attempt_id, queries.job.get({ id: jobId }));
        const [verdict] = accept(workflowId, [end], 'anybody');
        if (verdict instanceof Refusal) throw verdict;
        completed.push(jobId);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        // Accepted or not, the runner reports that this attempt has ended.
        held.over({ workflowId, jobId, attemptId: result.attempt_id ?? 1, nodeId: result.compute_node_id });
        errors.push({ job_id: jobId, message: error.message, code: error.code });
      }
    }
    return { completed, errors };
  }

  return {
    startJob({ params: { id, run_id: runId, compute_node_id: nodeId } }) {
      return { ...jobOf(start(id, runId, nodeId)), status: 'running' };
    },

    completeJob({ params: { id, status, run_id: runId }, body }) {
      const { workflow_id: workflowId, current_run: currentRun } =
        queries.runOf.get({ id }) ?? missingRecord('Job', id);
      refuseDisagreement(body, { job_id: id, workflow_id: workflowId, run_id: runId, status });
      refuseOtherRun(runId, currentRun ?? missingRecord('Workflow', workflowId));
      const [verdict] = accept(workflowId, [resultEndOf(body, workflowId, runId)], 'anybody');
      if (verdict instanceof Refusal) throw verdict;
      return jobOf(find.job(id));
    },

    batchCompleteJobs({ params: { id }, body: { completions } }) {
      find.run(id);
      const sliced = new Sliced(batch(id, completions));
      return completions.length > AT_ONCE ? sliced : sliced.atOnce();
    },
  } satisfies Partial<Handlers>;
};

/** Ends that are processed in one transaction: 100 take about 5 ms. */
const AT_ONCE = 100;

function resultEndOf(result: NewResult, workflowId: number, runId: number): End {
  return {
    workflowId,
    runId,
    jobId: result.job_id,
    attemptId: result.attempt_id ?? 1,
    nodeId: result.compute_node_id,
    status: result.status,
    returnCode: result.return_code,
    execTimeMinutes: result.exec_time_minutes,
    completionTime: result.completion_time,
    peakMemoryBytes: result.peak_memory_bytes,
    avgMemoryBytes: result.avg_memory_bytes,
    peakCpuPercent: result.peak_cpu_percent,
    avgCpuPercent: result.avg_cpu_percent,
    peakGpuMemoryBytes: result.peak_gpu_memory_bytes,
    gpuMemoryBytes: result.gpu_memory_bytes,
    avgGpuWatts: result.avg_gpu_watts,
    cause: result.cause,
    causeCode: result.cause_code,
    handlerLimit: result.handler_limit,
  };
}

type Target = Pick<NewResult, 'job_id' | 'workflow_id' | 'run_id' | 'status'>;

/** The result must name the same job, run and status as the request. */
function refuseDisagreement(result: NewResult, target: Target): void {
  for (const field of ['job_id', 'workflow_id', 'status', 'run_id'] as const) {
    if (result[field] === target[field]) continue;
    const quote = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value));
    throw new Refusal(
      'BODY_REFUSED',
      `ResultModel ${field}=${quote(result[field])} does not match target ${field}=${quote(target[field])}`,
      { field, found: result[field], expected: target[field] },
    );
  }
}

/**
 * An entry of a batch may come from a journal, long after the fact: it is refused for an earlier attempt of the job, or
 * for a job that another runner holds by now. A job that no runner holds may be ended by anybody, and an entry without
 * an attempt counts for the current one.
 */
function refuseLate(end: End, attempt: NewResult['attempt_id'], job: EndingJob | undefined): void {
  if (job === undefined || job.workflow_id !== end.workflowId) return;
  const reported = { ...end, attemptId: attempt ?? job.attempt_id };
  const refusal = fenceOff(reported, { ...job, claimed_by: job.claimed_by ?? end.nodeId });
  if (refusal !== undefined) throw refusal;
}
