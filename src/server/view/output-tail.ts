import { filesOf, STDIO_FOLDER, stdioOf } from '../../core/contract/files/job.ts';
import { outputDirOf } from '../../core/contract/files/runner.ts';
import type { RunnerProcess } from '../../core/contract/node.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { OutputTail } from '../../core/contract/view.ts';
import type { ExecutionConfig } from '../../core/contract/workflow.ts';
import { basename } from 'node:path';
import type { Permissions } from '../caller.ts';
import { STATUS } from '../records/job/status.ts';
import type { Store } from '../records/store.ts';
import type { AttemptRow, ViewQueries } from './queries.ts';
import { readTail } from './read-tail.ts';

interface TailQuery {
  readonly stream?: 'stdout' | 'stderr' | undefined;
  readonly run_id?: number | undefined;
  readonly attempt_id?: number | undefined;
  readonly lines?: number | undefined;
}

const LINES = 40;

/**
 * The end of what an attempt wrote.
 *
 * The path is the one that a runner registered, so with access control, where users do not trust each other, the server
 * reads no file: a user could name the folder of another one. Without it everybody may add jobs, and so read everything
 * that runners may read (docs/adr/0050).
 */
export function createOutputTails(
  { find }: Store,
  queries: ViewQueries,
  { isEnforced }: Pick<Permissions, 'isEnforced'>,
) {
  return async (jobId: number, asked: TailQuery): Promise<OutputTail> => {
    const job = find.job(jobId);
    const workflow = find.workflow(job.workflow_id);
    const attempts: AttemptRow[] = [
      ...queries.attempts.all({ jobId }),
      ...(job.status === STATUS.running
        ? [{ run_id: workflow.run_id, attempt_id: job.attempt_id, compute_node_id: job.compute_node_id }]
        : []),
    ];
    const { run_id: run, attempt_id: number, stream = 'stdout', lines = LINES } = asked;
    const attempt = attempts.findLast(
      (each) => (run === undefined || each.run_id === run) && (number === undefined || each.attempt_id === number),
    );
    if (attempt === undefined)
      throw new Refusal('ATTEMPT_UNKNOWN', `job ${jobId} (${job.name}) has no such attempt`, { job_id: jobId });

    const node = attempt.compute_node_id === null ? undefined : queries.node.get({ id: attempt.compute_node_id });
    const ledger = node?.process ? (JSON.parse(node.process) as RunnerProcess).ledger : undefined;
    const outputDir = ledger === undefined ? undefined : outputDirOf(ledger);
    const execution =
      workflow.execution_config === null ? {} : (JSON.parse(workflow.execution_config) as ExecutionConfig);
    const files = filesOf(
      { workflowId: workflow.id, runId: attempt.run_id, outputDir: outputDir ?? '', execution },
      { id: jobId, attempt_id: attempt.attempt_id, name: job.name },
    );
    const path = files[stream];
    const about = {
      job_id: jobId,
      run_id: attempt.run_id,
      attempt_id: attempt.attempt_id,
      ...(node === undefined ? {} : { hostname: node.hostname }),
      ...(path === undefined || outputDir === undefined ? {} : { path }),
      command: commandOf(jobId, attempt, stream),
    };
    if (path === undefined)
      return { ...about, reason: `it is not kept: the stdio mode is ${stdioOf(execution, job.name).mode}` };
    if (outputDir === undefined) return { ...about, reason: 'the runner has not said where its output folder is' };
    if (isEnforced) return { ...about, reason: 'a server with access control reads no files of its users' };
    const tail = await readTail(outputDir, STDIO_FOLDER, basename(path), lines);
    return 'reason' in tail
      ? { ...about, reason: tail.reason }
      : { ...about, lines: tail.lines, size_bytes: tail.sizeBytes, has_more: tail.hasMore };
  };
}

const commandOf = (jobId: number, { run_id: run, attempt_id: attempt }: AttemptRow, stream: 'stdout' | 'stderr') =>
  `torc jobs output ${jobId} --run ${run} --attempt ${attempt}${stream === 'stderr' ? ' --stderr' : ''}`;
