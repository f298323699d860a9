import { queueReasonOf } from '../../core/lifecycle/explain/queue-reason.ts';
import type { Tested } from '../batch/allocation-script.ts';
import { SubmissionFailed } from '../batch/batch-system.ts';
import { runHelper } from '../exec.ts';
import { HelperFailed } from '../helper-failed.ts';
import { isAway } from './away.ts';
import { type AskSlurm, outsideAllocation, slurmProgram } from './programs.ts';
import { type OnSlow, saidIfSlow } from '../batch/slow.ts';
import { parseTime } from './text.ts';

/** The id of the job that sbatch makes of a script, or of the array with these tasks. Throws `SubmissionFailed`. */
export async function submitScript(ask: AskSlurm, script: string, tasks: string | undefined): Promise<number> {
  const args = tasks === undefined ? [script] : [`--array=${tasks}`, script];
  const answer = await ask('sbatch', args).catch((error: unknown) => {
    throw error instanceof HelperFailed ? new SubmissionFailed(withAdvice(error.message), kindOf(error)) : error;
  });
  const jobId = parseSubmitted(answer);
  const [, elsewhere] = /Submitted batch job \d+ on cluster (\S+)/.exec(answer) ?? [];
  if (jobId !== undefined && elsewhere !== undefined) {
    // Slurm numbers the jobs of each cluster by themselves: this one could not be distinguished from a job here.
    const how = await ask('scancel', ['-M', elsewhere, String(jobId)]).then(
      () => 'it was canceled',
      () => `it could not be canceled: scancel -M ${elsewhere} ${jobId}`,
    );
    throw new SubmissionFailed(
      `sbatch submitted job ${jobId} to the cluster ${elsewhere}, where Torc cannot follow it; ${how}. Submit on a login node of ${elsewhere}`,
      'refused',
    );
  }
  if (jobId !== undefined) return jobId;
  const words = `Failed to parse job ID from sbatch output: ${JSON.stringify(answer.trim())}`;
  throw new SubmissionFailed(words, 'unclear');
}

/**
 * The id in `Submitted batch job 1234`, or in a line with it alone: some sites have a sbatch of their own that prints it so, or
 * `1234;cluster`, as sbatch does with --parsable. Undefined for any other text.
 */
export const parseSubmitted = (text: string): number | undefined => {
  const match =
    /Submitted batch job (\d+)/.exec(text) ??
    /^\s*(\d+)(?:;[\w.-]+)?\s*$/.exec(text.trimEnd().split('\n').at(-1) ?? '');
  return match === null ? undefined : Number(match[1]);
};

function kindOf({ isLate, signal, stderr }: HelperFailed): SubmissionFailed['kind'] {
  if (isLate || /socket timed out|zero bytes/i.test(stderr)) return 'unclear';
  if (isAway(stderr) || signal !== undefined) return 'away';
  // The first line of sbatch. Source: slurm_errno.h and job_mgr.c, reasons such as AssocMaxSubmitJobLimit and MaxSubmitJobsPerAccount.
  return /\b(?:Assoc|QOS|Max)\w*SubmitJob\w*/.test(stderr) ? 'full' : 'refused';
}

/** Slurm does not say which accounts and QOS a user may name, also in combination with partitions. */
const withAdvice = (words: string): string =>
  /invalid (?:account|qos)|user's group not permitted/i.test(words)
    ? `${words} (yours: sacctmgr show associations user=$USER format=Account,Partition,QOS)`
    : words;

const AT_MOST_MS = 30_000;

/** Asks `sbatch --test-only` about a script. */
export async function testOnly(
  script: string,
  environment: Readonly<Record<string, string | undefined>>,
  onSlow?: OnSlow,
): Promise<Tested> {
  // It answers on standard error, and with exit code 1 about what it refuses.
  const command = `printf %s "$1" | "$0" --test-only 2>&1 || true`;
  const program = slurmProgram('sbatch', environment);
  try {
    const answer = runHelper('bash', ['-c', command, program, script], {
      atMostMs: AT_MOST_MS,
      environment: outsideAllocation(environment),
    });
    return parseTested(await saidIfSlow(answer, { program: 'sbatch --test-only', atMostMs: AT_MOST_MS, onSlow }));
  } catch (error) {
    if (!(error instanceof HelperFailed)) throw error;
    return { kind: 'unknown', words: error.message };
  }
}

/** The answer of `sbatch --test-only`; times are in the time zone of this machine. */
export function parseTested(text: string): Tested {
  const lines = text.split('\n').map((line) => line.trim());
  const time = /to start at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)/.exec(text)?.[1];
  if (time !== undefined) return { kind: 'starts', atMs: parseTime(time) as number };
  const refusal = lines.find((line) => /error:|failure:|Unable to allocate|unrecognized option/.test(line));
  if (refusal === undefined || /Unable to contact|Socket timed out|fatal:/.test(text))
    return { kind: 'unknown', words: refusal ?? 'Could not parse sbatch --test-only output' };
  const words = refusal.replace(/^(?:sbatch: )?(?:error: |allocation failure: )?/, '');
  // A limit of the account or of the QOS is the word that squeue would print.
  const limit = /^\w+$/.test(words) ? queueReasonOf(words) : undefined;
  if (limit !== undefined) return { kind: 'refused', words: limit.words, isFinal: limit.isFinal };
  return { kind: 'refused', words: withAdvice(words), isFinal: /invalid|not permitted|unrecognized/i.test(text) };
}
