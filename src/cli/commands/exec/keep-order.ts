import { filesOf } from '../../../core/contract/files/job.ts';
import type { Client } from '../../../client/client.ts';
import { all } from '../../../client/every.ts';
import type { Workflow } from '../../../core/contract/workflow.ts';
import type { NamedAttempt, RunSummary } from '../../../runner/facts/options.ts';
import { createOrderedOutput, type PrintedJob } from './ordered-output.ts';
import type { Output } from '../../output/output.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { copyFile } from '../../terminal/follow-file.ts';
import { isReaderGone, writeOut } from '../../terminal/write-out.ts';

export interface KeepOrderOptions {
  readonly workflow: Workflow & { id: number };
  /** Jobs of the workflow: they are named job1, job2 … in the order of the list. */
  readonly count: number;
  readonly outputDir: string;
  readonly output: Output;
  readonly exitWith: (code: number) => void;
}

/** Prints what the jobs of `exec` write to their standard output, in the order of the list. */
export interface KeepOrder {
  /** To be called with what clears the progress line; answers what is printed for each job that ends. */
  begin(clear: () => void): (job: NamedAttempt) => void;
  /** Prints the rest, and says of how many jobs there is nothing here. */
  finish(client: Client, summary: RunSummary): Promise<void>;
}

export function keepOrder({ workflow, count, outputDir, output, exitWith }: KeepOrderOptions): KeepOrder {
  let clear = () => {};
  let runId = workflow.run_id ?? 0;
  let isGone = false;
  let endsLine = true;
  // On a terminal the progress line is drawn by the same thread, so nothing may come between; and no pipe can be full.
  const write = async (bytes: Uint8Array) => {
    if (process.stdout.isTTY !== true) return writeOut(bytes);
    clear();
    process.stdout.write(bytes);
    endsLine = bytes.at(-1) === LINE_FEED;
  };
  /** The progress line takes the place of a line that has no end. */
  const endLine = () => {
    if (!endsLine) process.stdout.write('\n');
    endsLine = true;
  };
  const print = async (job: PrintedJob): Promise<boolean> => {
    if (isGone) return true;
    const { stdout } = filesOf(
      { workflowId: workflow.id, runId, outputDir, execution: workflow.execution_config ?? {} },
      job,
    );
    if (stdout === undefined) return true;
    try {
      await copyFile(stdout, write);
      endLine();
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      if (!isReaderGone(error)) throw error;
      // The jobs run on: they were started for what they do.
      isGone = true;
      return true;
    }
  };
  const ordered = createOrderedOutput({ count, numberOf, print });

  return {
    begin(given) {
      clear = given;
      return (job) => ordered.ended(job);
    },
    async finish(client, summary) {
      runId = summary.runId;
      const isKnown = summary.isReported && ordered.missing().length > 0;
      const elsewhere = isKnown ? await endedElsewhere(client, workflow.id, runId) : [];
      const unprinted = await ordered.finish(elsewhere).catch((error: unknown): number[] => {
        output.error(`the output of the jobs could not be printed: ${(error as Error).message}`);
        exitWith(1);
        return [];
      });
      if (unprinted.length > 0)
        output.warn(
          `the output of ${counted(unprinted.length, 'job')} is not in ${outputDir}: another runner had them on another host, or the files were deleted`,
        );
    },
  };
}

const LINE_FEED = 10;

/** The number of a job in the list: `exec` names it so. */
const numberOf = ({ name }: PrintedJob): number => Number(/^job(\d+)/.exec(name)?.[1]);

/** Jobs that ended in this run, wherever: another runner may have helped. */
async function endedElsewhere(client: Client, workflowId: number, runId: number): Promise<PrintedJob[]> {
  const results = await all((page) =>
    client.listResults({ query: { workflow_id: workflowId, run_id: runId, ...page } }),
  );
  return results.map((each) => ({
    id: each.job_id,
    attempt_id: each.attempt_id ?? 1,
    name: each.job_name ?? '',
  }));
}
