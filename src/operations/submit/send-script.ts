import { batchWords } from '../../core/allocation/batch-words.ts';
import { pause } from '../../client/long-timers.ts';
import { type BatchQueue, SubmissionFailed } from '../../cluster/batch/batch-system.ts';
import { isScriptOf } from '../../core/allocation/names.ts';
import type { ScriptDraft } from './drafts.ts';
import type { SubmitTools } from './submit-tools.ts';

/** A job that was submitted. */
interface Sent {
  readonly jobId: number;
  /** An earlier attempt may have arrived, too. */
  readonly mayBeDouble: boolean;
}

/** Attempts at a controller that cannot be reached, and the time between them: a minute in all, as in Torc 1.0.0. */
const TRIES = 6;
const RETRY_MS = 10_000;

/**
 * Gives a script to sbatch. After a failure whose outcome is unclear the job is looked for by the token in the path of its
 * script.
 *
 * Throws `SubmissionFailed`; it is `unclear` or `away` if neither sbatch nor squeue can say whether the job exists.
 */
export async function sendScript(
  { slurm, onWarning, retryMs = RETRY_MS }: SubmitTools,
  { path, token }: ScriptDraft,
  tasks: string | undefined,
): Promise<Sent> {
  let wasUnclear = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { jobId: await slurm.submit(path, tasks), mayBeDouble: wasUnclear };
    } catch (error) {
      if (!(error instanceof SubmissionFailed) || error.kind === 'refused' || error.kind === 'full') throw error;
      wasUnclear ||= error.kind === 'unclear';
      // Each attempt may take a minute.
      if (error.kind === 'unclear')
        onWarning(`${error.message}; asking ${batchWords(slurm.name).list} whether ${slurm.name} has the job`);
      else if (attempt < TRIES)
        onWarning(`${error.message}; attempt ${attempt} of ${TRIES} to submit, the next one in ${retryMs / 1000} s`);
      if (attempt > 1 || error.kind === 'away') await pause(retryMs);
      const asked = await jobWith(slurm, token).then(
        (jobId) => ({ jobId }),
        () => undefined,
      );
      if (asked?.jobId !== undefined) return { jobId: asked.jobId, mayBeDouble: true };
      if (attempt >= TRIES || (asked === undefined && error.kind === 'unclear')) throw error;
    }
  }
}

/** The job that was submitted with this token; undefined if squeue lists none. Throws if squeue cannot be asked. */
export const jobWith = async (slurm: BatchQueue, token: string): Promise<number | undefined> =>
  (await slurm.scripts()).find(({ script }) => isScriptOf(script, token))?.jobId;

/** An earlier attempt that reached the controller late: its job is the same request once more. */
export async function cancelDouble({ slurm, onWarning }: SubmitTools, token: string, jobId: number): Promise<void> {
  const found = await slurm.scripts().catch(() => []);
  const doubles = new Set(found.filter(({ script }) => isScriptOf(script, token)).map((each) => each.jobId));
  doubles.delete(jobId);
  for (const double of doubles) {
    onWarning(`${slurm.name} accepted the same allocation twice; job ${double} is canceled, job ${jobId} stays`);
    await slurm.cancel(double);
  }
}

const LOOK_MS = 200;
/** The time limit that a command gives to sbatch. */
const AT_MOST_MS = 60_000;

/** Waits for a sbatch that outlived its command; one that does not end is killed at the time limit that it had. */
export async function waitForSubmissions({ slurm, onWarning }: SubmitTools, tokens: readonly string[]): Promise<void> {
  const look = () => slurm.submissionsUnderWay(tokens);
  for (let waitedMs = 0, pids = await look(); pids.length > 0; pids = await look()) {
    if (waitedMs === 0)
      onWarning(
        `${batchWords(slurm.name).submit} of a command that was killed still runs (process ${pids.join(', ')}); waiting`,
      );
    if (waitedMs >= AT_MOST_MS) for (const pid of pids) kill(pid);
    await pause(LOOK_MS);
    waitedMs += LOOK_MS;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}
