import { pause } from '../../client/long-timers.ts';
import { steadyNow } from '../../client/steady-clock.ts';
import type { Allocation } from '../../cluster/batch/allocation.ts';
import { ALLOCATION_VARIABLE } from '../../core/allocation/runner-line.ts';
import { workflowId } from '../choose/choose-workflow.ts';
import { command } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { Failure } from '../command/failure.ts';
import { integerOption, numberOption, option } from '../command/option.ts';
import { keepTemporary } from '../slurm/slurm-options.ts';
import { runWorkflow } from '../run/run-workflow.ts';

const GIBIBYTE = 2 ** 30;

export const slurmRunner = command('run <url> <workflow> <output-dir>', {
  isDefault: true,
  namesService: true,
  says: 'Run jobs of a workflow inside a Slurm allocation, with its resources, until it ends.',
  options: [
    option('--max-parallel-jobs <n>', 'run this many jobs at once and ignore their requirements', {
      read: integerOption(1),
    }),
    option('-p, --poll-interval <s>', 'polling interval in seconds when no event arrives', {
      setting: 'client.slurm.poll_interval',
      read: numberOption(0.001),
    }),
    option('--claim-backoff-max-secs <s>', 'maximum polling interval while jobs run', {
      setting: 'client.run.claim_backoff_max_secs',
      read: numberOption(0),
    }),
    option('--label <label>', 'claim jobs whose labels are all among these; may be repeated or separated by commas', {
      many: true,
    }),
    keepTemporary,
    option('--persistent', 'keep running until all jobs with matching labels have ended, even when idle'),
    option(
      '--wait-for-healthy-database-minutes <n>',
      'minutes to wait for a server that is away (default: what the workflow says)',
      { read: numberOption(0) },
    ),
    option('--is-subtask', 'one of several runners in the allocation, with the share of SLURM_CPUS_PER_TASK'),
    option(
      '--startup-delay-seconds <s>',
      'wait at most this long before the start, so that many runners do not start at once',
      { default: 0, read: numberOption(0) },
    ),
  ],
  async run(context, [, workflow, outputDir], options) {
    const { environment, output } = context;
    const { openBatch } = await import('../../cluster/open-batch.ts');
    const slurm = openBatch(environment);
    const reported = slurm.allocationOf(environment);
    if (reported === undefined)
      throw new Failure(
        'neither SLURM_JOB_ID nor PBS_JOBID names an allocation: this program runs inside one of Slurm or PBS, and not in a job of a PBS array; elsewhere use torc run',
      );
    const { whileAway } = await import('../../cluster/slurm/away.ts');
    const onAway = (words: string) =>
      output.warn(`the controller of ${slurm.name} is away; asking again for 5 minutes: ${words}`);
    const patiently = <T>(ask: () => Promise<T>) => whileAway(ask, { wait: pause, onAway });
    const memoryBytes = await patiently(() => slurm.memoryOf(reported)).catch((error: Error) => {
      output.warn(
        `the memory of allocation ${reported.jobId} is unknown, so that of the machine is offered: ${error.message}`,
      );
      return undefined;
    });
    const id = workflowId(workflow);
    const who = `${reported.jobId}.${reported.nodeId}.${reported.taskPid}`;
    const delaySeconds = startDelaySeconds(options.startupDelaySeconds, who);
    await pause(delaySeconds * 1000);

    const given = leftByVariables(reported, Date.now());
    const ask = () => slurm.secondsLeft(reported);
    const leftSeconds = await (given === undefined ? patiently(ask) : ask()).catch((cause: Error) => {
      if (given !== undefined) return given;
      throw new Failure(
        `the end of allocation ${reported.jobId} is unknown: ${cause.message}. Set SLURM_JOB_END_TIME, in Unix seconds, if squeue is not available.`,
        { cause },
      );
    });
    const endAtMs = leftSeconds === undefined ? undefined : steadyNow() + leftSeconds * 1000;
    const run = await slurm.runOf(reported);
    const more = await slurm.moreOf?.(reported);
    const allocation = { ...reported, ...more, memoryBytes, run, restarts: run.restarts ?? reported.restarts };
    const isShared = options.isSubtask === true;
    // Programs that stand in for Slurm know nothing of the end of an allocation.
    const knowsEnding = !environment['TORC_FAKE_SBATCH'];
    const { inAllocation } = await import('../../runner/setup/in-allocation.ts');
    const place = await inAllocation(slurm, allocation, { isShared, knowsEnding });
    const own = isShared ? shareOf(allocation) : allocation;
    const summary = await runWorkflow(
      context,
      id,
      {
        ...options,
        outputDir,
        numCpus: own.cpus,
        memoryGb: own.memoryBytes === undefined ? undefined : own.memoryBytes / GIBIBYTE,
      },
      { ...place, endAtMs, recordId: recordOf(environment) },
    );
    const { ending, left, tally } = summary;
    const reason = [summary.reason, left?.words].filter((part) => part !== undefined).join('; ');
    output.notice(
      `Runner ended (${ending}): ${tally.completed} completed, ${tally.failed} failed, ${tally.terminated} terminated${reason === '' ? '' : `; ${reason}`}`,
    );
    const { sweptWords } = await import('../run/swept.ts');
    const swept = sweptWords(summary.swept);
    if (swept !== undefined) output.notice(swept);
    const { isBroken } = await import('../run/summary.ts');
    if (isBroken(summary)) context.exitWith(1);
  },
});

/**
 * The seconds until the end of the allocation by its variables and the clock of this node, for a runner whose Slurm does not
 * answer; undefined if they are not there, or if that clock is wrong: the allocation would be over.
 */
export function leftByVariables(
  { beganAtMs = -Infinity, endsAtMs }: Pick<Allocation, 'beganAtMs' | 'endsAtMs'>,
  nowMs: number,
): number | undefined {
  if (endsAtMs === undefined || nowMs >= endsAtMs) return undefined;
  return (endsAtMs - Math.max(nowMs, beganAtMs)) / 1000;
}

/** What the script of the allocation says of it. Jobs do not inherit it: they may start runners of their own. */
function recordOf(environment: Context['environment']) {
  const recordId = Number(environment[ALLOCATION_VARIABLE]);
  delete process.env[ALLOCATION_VARIABLE];
  return Number.isSafeInteger(recordId) ? recordId : undefined;
}

/** The resources of one of several runners on the node: its CPUs, and the same share of the memory. */
function shareOf({ cpus, cpusPerTask: own = 0, memoryBytes }: Allocation): Pick<Allocation, 'cpus' | 'memoryBytes'> {
  if (cpus === undefined || own === 0) return { cpus, memoryBytes };
  return { cpus: own, memoryBytes: memoryBytes === undefined ? undefined : Math.floor((memoryBytes * own) / cpus) };
}

/**
 * Seconds after which a runner starts, so that runners which start together spread over a window of whole seconds and
 * do not contact the server at once. It depends on `who` alone: a restarted runner waits as long as before.
 */
export function startDelaySeconds(windowSeconds: number, who: string): number {
  let hash = 0;
  for (const letter of who) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash % Math.max(1, Math.floor(windowSeconds));
}
