import { basename } from 'node:path';
import type { FileHandle } from 'node:fs/promises';
import { filesOf, STDIO_FOLDER, stdioOf } from '../../core/contract/files/job.ts';
import type { OutputTail } from '../../core/contract/view.ts';
import type { ExecutionConfig } from '../../core/contract/workflow.ts';
import type { Permissions } from '../caller.ts';
import type { Store } from '../records/store.ts';
import { type AttemptQuery, NO_FILES, NO_FOLDER, placeOfAttempt } from './attempt-place.ts';
import type { AttemptRow, ViewQueries } from './queries.ts';
import { type NotRead, readOwnFile } from './own-file.ts';

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

/** The end of a file, or the reason why it was not read. */
type FileTail = { readonly lines: string[]; readonly sizeBytes: number; readonly hasMore: boolean } | NotRead;

/** At most this much of a file is read: 500 lines of usual length. */
const MOST_BYTES = 64 * 1024;
/** Characters of a line. */
const MOST_CHARACTERS = 4_000;

/** The last lines of a regular file in a folder of this name below a folder. */
export const readTail = (folder: string, inner: string, name: string, lines: number): Promise<FileTail> =>
  readOwnFile(folder, inner, name, (file, { size }) => read(file, size, lines));

async function read(file: FileHandle, size: number, lines: number): Promise<FileTail> {
  const length = Math.min(size, MOST_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  const all = buffer.subarray(0, bytesRead).toString('utf8').replace(/\n$/, '').split('\n');
  // The first line of a part of a file is a part of a line.
  const whole = size > length && all.length > 1 ? all.slice(1) : all;
  const last = whole.slice(-lines).map((line) => line.slice(0, MOST_CHARACTERS));
  const isEmpty = last.length === 1 && last[0] === '';
  return { lines: isEmpty ? [] : last, sizeBytes: size, hasMore: whole.length > lines || size > length };
}
