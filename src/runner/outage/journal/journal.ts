import { JOURNAL_FOLDER, journalName } from '../../../core/contract/files/journal.ts';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '../../../cluster/make-folder.ts';
import type { Completion } from '../../../core/contract/exchange.ts';
import type { JobCompletion } from '../../../core/contract/result.ts';
import type { WrittenJournal } from '../../facts/options.ts';
import { writeJournal } from './file.ts';

/** The runner whose results a journal contains. */
export interface JournalOwner {
  readonly workflowId: number;
  readonly runId: number;
  readonly nodeId: number;
  readonly outputDir: string;
  /** Distinguishes runners, in the file's name. */
  readonly label: string;
}

/** The results that a runner could not report, in its own file; there is none before the first result. */
export interface Journal {
  /** The file, and its number of results. */
  readonly written: WrittenJournal | undefined;
  /** Replaces the content of the file. Throws if it cannot be written: then the content stays. */
  write(completions: Iterable<Completion>): void;
  /** Removes the file: the server knows all of its results. */
  remove(): void;
}

export function createJournal(owner: JournalOwner, now: () => number): Journal {
  let written: WrittenJournal | undefined;
  return {
    get written() {
      return written;
    },
    write(completions) {
      const path = written?.path ?? takeName(owner);
      try {
        written = { path, completions: writeJournal(path, entries(completions, owner), now()) };
      } catch (error) {
        if (written === undefined) rmSync(path, { force: true });
        throw error;
      }
    },
    remove() {
      if (written === undefined) return;
      rmSync(written.path, { force: true });
      written = undefined;
    },
  };
}

/**
 * A unique name, reserved by creating the file: a second runner of the host and run, now or earlier, gets a number
 * after the label, so that two runners never write one journal.
 */
function takeName({ workflowId, runId, outputDir, label }: JournalOwner): string {
  const folder = resolve(outputDir, JOURNAL_FOLDER);
  makeFolder(folder);
  for (let number = 1; ; number += 1) {
    const path = join(folder, journalName(workflowId, runId, number === 1 ? label : `${label}_${number}`));
    try {
      closeSync(openSync(path, 'wx'));
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Completions as entries of batch_complete_jobs, one at a time: there may be as many as the runner ever had. */
function* entries(completions: Iterable<Completion>, owner: JournalOwner): Generator<JobCompletion> {
  for (const completion of completions) yield journalEntryOf(completion, owner);
}

export function journalEntryOf(
  { job_id: jobId, status, files, inputs, ...rest }: Completion,
  { workflowId, runId, nodeId }: Pick<JournalOwner, 'workflowId' | 'runId' | 'nodeId'>,
): JobCompletion {
  return {
    job_id: jobId,
    status,
    run_id: runId,
    result: { job_id: jobId, workflow_id: workflowId, run_id: runId, compute_node_id: nodeId, status, ...rest },
    ...(files === undefined ? {} : { files }),
    ...(inputs === undefined ? {} : { inputs }),
  };
}
