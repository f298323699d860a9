import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { HelperFailed } from '../helper-failed.ts';
import type { AskSlurm } from './programs.ts';
import { slurmSignal } from './signal-name.ts';

const SOON_MS = 20_000;

/** Cancels a job or a task; one that has ended is no error. */
export const cancelJob = async (ask: AskSlurm, job: SlurmJob): Promise<void> =>
  void (await ask('scancel', [String(job)]));

/** Cancels those of these jobs that wait, and these tasks. */
export async function cancelQueued(ask: AskSlurm, jobs: readonly SlurmJob[]): Promise<void> {
  const [tasks, whole] = [jobs.filter((job) => typeof job === 'string'), jobs.filter(Number.isInteger).map(String)];
  if (whole.length > 0) await ask('scancel', [...whole, '--state=PENDING']);
  // With --state, scancel cancels all waiting tasks of the array (22.05). A task that started meanwhile has nothing to run.
  if (tasks.length > 0) await ask('scancel', tasks);
}

/** Sends a signal to steps, by their ids. Those that have ended are no error. */
export async function signalSteps(ask: AskSlurm, ids: readonly string[], signal: string): Promise<void> {
  if (ids.length === 0) return;
  try {
    await ask('scancel', ['-s', slurmSignal(signal), ...ids], SOON_MS);
  } catch (error) {
    if (!(error instanceof HelperFailed) || !areAllOver(error.stderr)) throw error;
  }
}

/** scancel says so of a step that has ended, and of one that has no process on one of its nodes; the others got the signal. */
const areAllOver = (stderr: string): boolean => {
  // A shell of the site may print lines of its own.
  const lines = stderr.split('\n').filter((line) => line.startsWith('scancel:'));
  return lines.length > 0 && lines.every((line) => OVER.test(line));
};

const OVER =
  /Kill job error on job step id \S+: (?:Invalid job id specified|Job\/step already completing or completed)$/;
