import { basename } from 'node:path';
import { filesOf, STDIO_FOLDER, stdioOf } from '../../core/contract/files/job.ts';
import type { OutputTail } from '../../core/contract/view.ts';
import type { ExecutionConfig } from '../../core/contract/workflow.ts';
import type { Permissions } from '../caller.ts';
import type { Store } from '../records/store.ts';
import { type AttemptQuery, NO_FILES, NO_FOLDER, placeOfAttempt } from './attempt-place.ts';
import type { AttemptRow, ViewQueries } from './queries.ts';
import { readTail } from './read-tail.ts';

interface TailQuery extends AttemptQuery {
  readonly stream?: 'stdout' | 'stderr' | undefined;
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
    const place = placeOfAttempt(find, queries, jobId, asked);
    const { job, workflow, attempt, outputDir } = place;
    const { stream = 'stdout', lines = LINES } = asked;
    const execution =
      workflow.execution_config === null ? {} : (JSON.parse(workflow.execution_config) as ExecutionConfig);
    const files = filesOf(
      { workflowId: workflow.id, runId: attempt.run_id, outputDir: outputDir ?? '', execution },
      { id: jobId, attempt_id: attempt.attempt_id, name: job.name },
    );
    const path = files[stream];
    const about = {
      ...place.about,
      ...(path === undefined || outputDir === undefined ? {} : { path }),
      command: commandOf(jobId, attempt, stream),
    };
    if (path === undefined)
      return { ...about, reason: `it is not kept: the stdio mode is ${stdioOf(execution, job.name).mode}` };
    if (outputDir === undefined) return { ...about, reason: NO_FOLDER };
    if (isEnforced) return { ...about, reason: NO_FILES };
    const tail = await readTail(outputDir, STDIO_FOLDER, basename(path), lines);
    return 'reason' in tail
      ? { ...about, reason: tail.reason }
      : { ...about, lines: tail.lines, size_bytes: tail.sizeBytes, has_more: tail.hasMore };
  };
}

const commandOf = (jobId: number, { run_id: run, attempt_id: attempt }: AttemptRow, stream: 'stdout' | 'stderr') =>
  `torc jobs output ${jobId} --run ${run} --attempt ${attempt}${stream === 'stderr' ? ' --stderr' : ''}`;
