import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '../../../cluster/host/group-files.ts';
import { pause } from '../../../client/long-timers.ts';
import type { RecordedJobs, BatchRecords } from '../../../cluster/batch/batch-system.ts';
import type { SlurmJob } from '../../../core/allocation/slurm-job.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import { isMarkFolderOf, type Mark, markFolderOf, parseMark } from '../../../core/attempt/step-mark.ts';
import type { ExitCodes, Verdict } from '../../../core/attempt/judge.ts';
import { mayBeReported, provenEnd } from '../../../core/attempt/left-step.ts';
import { isWordsFile } from './words.ts';

/** The steps that a killed runner left in its allocation. */
export interface LeftSteps {
  readonly slurmJobId: number;
  /** By the name of the step. */
  readonly marks: ReadonlyMap<StepId, Mark>;
  /** The folders of the marks. */
  readonly folders: readonly string[];
}

/** A proven end, with the figures that are known of it. */
export interface LeftEnd extends Verdict {
  readonly seconds: number;
  readonly endedAtMs: number | undefined;
  readonly maxRssBytes: number | undefined;
}

/** Reads the marks of an allocation in the output directories of its runners, as far as they can be read here. */
export function leftStepsOf(outputDirs: ReadonlySet<string>, workflowId: number, slurmJobId: number): LeftSteps {
  // This process may run in the next life of a requeued allocation.
  const own = markFolderOf(workflowId, slurmJobId, process.pid);
  const isLeft = (name: string) => name !== own && isMarkFolderOf(name, workflowId, slurmJobId);
  const folders = [...outputDirs].flatMap((dir) =>
    namesIn(dir).flatMap((name) => (isLeft(name) ? [join(dir, name)] : [])),
  );
  const marks = new Map<StepId, Mark>();
  for (const folder of folders)
    for (const name of namesIn(folder)) {
      if (isWordsFile(name)) continue;
      const text = textOf(join(folder, name));
      if (text !== undefined) marks.set(name, parseMark(text));
    }
  return { slurmJobId, marks, folders };
}

/** Removes the marks of a runner whose steps have been reported. */
export function removeMarks({ folders }: LeftSteps): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** The end of a step as its mark and the accounting prove it. */
export function leftEndOf(
  { slurmJobId, marks }: LeftSteps,
  id: StepId,
  account: RecordedJobs | undefined,
  codes: ExitCodes,
): LeftEnd | undefined {
  const found = account?.steps.get(id);
  const row = found?.slurmJobId === slurmJobId ? found : undefined;
  const mark = marks.get(id);
  const end = provenEnd({ mark, row, runnerEndedAtMs: account?.batchEnds.get(slurmJobId) }, codes);
  if (end === undefined) return undefined;
  return {
    ...end,
    seconds: mark?.seconds ?? row?.seconds ?? 0,
    endedAtMs: row?.endedAtMs,
    maxRssBytes: row?.maxRssBytes,
  };
}

const LOOKS = 10;
const LOOK_MS = 1_000;

/**
 * The accounting of ended allocations, when it has the States of the steps that it decides about, or after ten seconds.
 * Rejects if it cannot be asked.
 */
export async function accountOfLeft(
  records: Pick<BatchRecords, 'account'>,
  left: readonly LeftSteps[],
  jobs: readonly SlurmJob[],
): Promise<RecordedJobs | undefined> {
  for (let look = 1; ; look += 1) {
    const account = await records.account(jobs);
    const isBehind = left.some(({ marks }) =>
      [...marks].some(([id, mark]) => mayBeReported(mark, account?.steps.has(id) === true)),
    );
    if (account === undefined || !isBehind || look === LOOKS) return account;
    await pause(LOOK_MS);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
