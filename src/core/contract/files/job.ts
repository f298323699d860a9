import type { ClaimedJob } from '../exchange.ts';
import type { ExecutionConfig, Stdio } from '../workflow.ts';

/** The files of the output of a job: written by its runner, read by commands. The names are those of Torc 1.0.0. */

/** Names one attempt of a job in its run: `wf7_j42_r2_a3`. Files and steps of Slurm have this name too. */
export type StepId = string;

export const stepIdOf = (
  { workflowId, runId }: { readonly workflowId: number; readonly runId: number },
  { id, attempt_id: attempt }: Pick<ClaimedJob, 'id' | 'attempt_id'>,
): StepId => `wf${workflowId}_j${id}_r${runId}_a${attempt}`;

/** The parts of the name of an attempt; undefined for another name. */
export function partsOfStepId(
  id: string,
):
  | { readonly workflowId: number; readonly jobId: number; readonly runId: number; readonly attemptId: number }
  | undefined {
  const [, workflowId, jobId, runId, attemptId] = (/^wf(\d+)_j(\d+)_r(\d+)_a(\d+)$/.exec(id) ?? []).map(Number);
  if (workflowId === undefined || jobId === undefined || runId === undefined || attemptId === undefined)
    return undefined;
  return { workflowId, jobId, runId, attemptId };
}

export interface JobFiles {
  readonly stdout: string | undefined;
  readonly stderr: string | undefined;
}

/** The folder of the jobs' output, within the output directory. */
export const STDIO_FOLDER = 'job_stdio';

/** How the output of a job is kept: its own setting replaces the workflow's as a whole. */
export function stdioOf(
  execution: ExecutionConfig,
  jobName: string,
): Required<{ [F in keyof Stdio]: NonNullable<Stdio[F]> }> {
  const chosen = execution.job_stdio_overrides?.[jobName] ?? execution.stdio ?? {};
  return { mode: chosen.mode ?? 'separate', delete_on_success: chosen.delete_on_success ?? false };
}

/** What the files of all jobs of a run share. */
export interface RunFiles {
  readonly workflowId: number;
  readonly runId: number;
  readonly outputDir: string;
  readonly execution: ExecutionConfig;
}

/** The output files of an attempt. The names are public: users and tools search for them. */
export function filesOf(run: RunFiles, job: Pick<ClaimedJob, 'id' | 'attempt_id' | 'name'>): JobFiles {
  const { outputDir, execution } = run;
  const stem = `${outputDir}/${STDIO_FOLDER}/job_${stepIdOf(run, job)}`;
  switch (stdioOf(execution, job.name).mode) {
    case 'separate':
      return { stdout: `${stem}.o`, stderr: `${stem}.e` };
    case 'combined':
      return { stdout: `${stem}.log`, stderr: `${stem}.log` };
    case 'no_stdout':
      return { stdout: undefined, stderr: `${stem}.e` };
    case 'no_stderr':
      return { stdout: `${stem}.o`, stderr: undefined };
    case 'none':
      return { stdout: undefined, stderr: undefined };
  }
}

/**
 * Names, to a job whose memory is limited, the file that a container of it writes when the kernel killed something at its limit.
 * The kernel counts such kills in the control group of the container, which only it can read, and only while it lives.
 */
export const MEMORY_REPORT_VARIABLE = 'TORC_MEMORY_REPORT';

export const memoryReportOf = (
  run: Pick<RunFiles, 'workflowId' | 'runId' | 'outputDir'>,
  job: Pick<ClaimedJob, 'id' | 'attempt_id'>,
): string => `${run.outputDir}/${STDIO_FOLDER}/${stepIdOf(run, job)}.memory`;
