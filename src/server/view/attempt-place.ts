import { outputDirOfLedger } from '../../core/contract/files/runner.ts';
import type { RunnerProcess } from '../../core/contract/node.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { STATUS } from '../records/rows/status.ts';
import type { Store } from '../records/store.ts';
import type { AttemptRow, ViewQueries } from './queries.ts';

/** The attempt that is asked for; by default the current one. */
export interface AttemptQuery {
  readonly run_id?: number | undefined;
  readonly attempt_id?: number | undefined;
}

/** An attempt of a job, the node of its runner, and the output folder that the runner registered. */
export function placeOfAttempt(
  find: Store['find'],
  queries: ViewQueries,
  jobId: number,
  { run_id: run, attempt_id: number }: AttemptQuery,
) {
  const job = find.job(jobId);
  const workflow = find.workflow(job.workflow_id);
  const isRunning = job.status === STATUS.running;
  const attempts: AttemptRow[] = [
    ...queries.attempts.all({ jobId }),
    ...(isRunning
      ? [{ run_id: workflow.run_id, attempt_id: job.attempt_id, compute_node_id: job.compute_node_id }]
      : []),
  ];
  const attempt = attempts.findLast(
    (each) => (run === undefined || each.run_id === run) && (number === undefined || each.attempt_id === number),
  );
  if (attempt === undefined)
    throw new Refusal('ATTEMPT_UNKNOWN', `job ${jobId} (${job.name}) has no such attempt`, { job_id: jobId });
  const node = attempt.compute_node_id === null ? undefined : queries.node.get({ id: attempt.compute_node_id });
  const ledger = node?.process ? (JSON.parse(node.process) as RunnerProcess).ledger : undefined;
  return {
    job,
    workflow,
    attempt,
    isRunning: isRunning && attempt === attempts.at(-1),
    node,
    outputDir: ledger === undefined ? undefined : outputDirOfLedger(ledger),
    about: {
      job_id: jobId,
      run_id: attempt.run_id,
      attempt_id: attempt.attempt_id,
      ...(node === undefined ? {} : { hostname: node.hostname }),
    },
  };
}

/** Why a server with access control reads no file: its path is the word of a user, who could name the folder of another one. */
export const NO_FILES = 'a server with access control reads no files of its users';
export const NO_FOLDER = 'the runner has not said where its output folder is';
