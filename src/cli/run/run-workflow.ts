import { resolve } from 'node:path';
import { steadyNow } from '../../client/steady-clock.ts';
import { keepTemporary } from '../slurm/slurm-options.ts';
import { runHere } from '../../operations/run/run-here.ts';
import { hasBatch, openBatchIfClear } from '../../cluster/open-batch.ts';
import { restrictFiles } from '../../cluster/umask.ts';
import type { Runner, RunnerOptions, RunSummary } from '../../runner/facts/options.ts';
import type { SubmitTools } from '../../operations/submit/submit-tools.ts';
import { parseDuration } from '../../core/quantity/duration.ts';
import { licensesFault } from '../../core/job/amounts.ts';
import { UsageError } from '../command/failure.ts';
import { integerOption, numberOption, option, optionsOf, type ValuesOf } from '../command/option.ts';
import type { Context } from '../command/context.ts';
import { type EndingSignal, exitCodes, holdSignals } from '../terminal/held-signals.ts';
import { createProgressLine } from './progress.ts';

/** `matlab=4` of `--limit`. */
function namedLimit(text: string): readonly [string, number] {
  const [, name = '', amount = ''] = /^([^=]+)=(\d+)$/.exec(text) ?? [];
  if (name === '') throw new UsageError(`--limit: expected NAME=NUMBER such as matlab=4, found "${text}"`);
  const fault = licensesFault({ [name]: Number(amount) });
  if (fault !== undefined) throw new UsageError(`--limit: ${fault.replace(/^licenses /, 'it ')}`);
  return [name, Number(amount)];
}

/** Options of the runner, the same for `run` and `exec`. */
export const runnerOptions = optionsOf([
  option('-j, --max-parallel-jobs <n>', 'run this many jobs at once and ignore their requirements', {
    setting: 'client.run.max_parallel_jobs',
    read: integerOption(1),
  }),
  option('--num-cpus <n>', 'CPUs to offer (default: all of this machine)', {
    setting: 'client.run.num_cpus',
    read: integerOption(1),
  }),
  option('--memory-gb <gb>', 'memory to offer (default: all of this machine)', {
    setting: 'client.run.memory_gb',
    read: numberOption(0),
  }),
  option('--num-gpus <n>', 'GPUs to offer (default: all of this machine)', {
    setting: 'client.run.num_gpus',
    read: integerOption(0),
  }),
  option('-p, --poll-interval <s>', 'polling interval in seconds when no event arrives', {
    setting: 'client.run.poll_interval',
    read: numberOption(0.001),
  }),
  option('--claim-backoff-max-secs <s>', 'maximum polling interval while jobs run', {
    setting: 'client.run.claim_backoff_max_secs',
    read: numberOption(0),
  }),
  option('-o, --output-dir <folder>', 'folder for job output and logs', { setting: 'client.run.output_dir' }),
  option('--time-limit <duration>', 'time limit, such as 2h, 90s or PT2H'),
  option('--end-time <time>', 'end at this time (RFC 3339)'),
  option('--label <label>', 'claim jobs whose labels are all among these; may be repeated or separated by commas', {
    many: true,
  }),
  option(
    '--limit <name=n>',
    'with -s: the most of this license that jobs hold at once, over all standalone runs of yours on this machine; may be repeated',
    { many: true, read: namedLimit },
  ),
  option('--persistent', 'keep running until all jobs with matching labels have ended, even when idle'),
  keepTemporary,
  option('--fail', 'exit with 1 when jobs failed or did not finish, as exec always does', {
    setting: 'client.run.failed_exit',
  }),
]);

/** The values of these options. */
export type RunnerValues = ValuesOf<typeof runnerOptions>;

/** Those that every runner needs, and the others as far as a command has them. */
type RunnerChoices = Partial<RunnerValues> &
  Pick<RunnerValues, 'outputDir'> & {
    readonly waitForHealthyDatabaseMinutes?: number | undefined;
    /** Only jobs of this choice run. */
    readonly choice?: number | undefined;
  };

/** The registration data of a runner. */
type Registration = Pick<
  RunnerOptions,
  | 'computeNodeType'
  | 'scheduler'
  | 'allocation'
  | 'licenses'
  | 'recordId'
  | 'onRegistered'
  | 'ending'
  | 'workflow'
  | 'endAtMs'
>;

/** Loads the runner while the server starts, which another core does. A fault in it is reported where the runner is used. */
export function loadRunnerMeanwhile(): void {
  // After what is asked of the server now: that goes first.
  setImmediate(() => void import('../../runner/main/run.ts').catch(() => {}));
}

/** Runs a workflow here, shows its progress, and handles signals. */
export async function runWorkflow(
  context: Context,
  workflowId: number,
  options: RunnerChoices,
  registration: Registration = { computeNodeType: 'local' },
  /** What is printed for each job that ends, given what clears the progress line. */
  watcherOf?: (clear: () => void) => RunnerOptions['onJobEnded'],
  held = holdSignals(),
): Promise<RunSummary> {
  const { output, settings, configuration } = context;
  restrictFiles(configuration['client.run.umask']);
  const { connection, url, jobVariables } = await context.service();
  const outputDir = options.outputDir;
  const batch = openBatchIfClear(context.environment);
  const allocation = batch?.allocationOf(context.environment);
  const canSubmit = !settings.standalone && hasBatch(context.environment);
  const submitTools = canSubmit ? await submitToolsOf(context, options) : undefined;
  // By it the processes of jobs are found. Of PBS it is ours, and missing where no script of ours set it.
  const ofAllocation: (readonly [string, string])[] =
    batch === undefined || allocation === undefined || context.environment[batch.jobVariable] !== undefined
      ? []
      : [[batch.jobVariable, String(allocation.jobId)]];
  const progress = createProgressLine(output, process.stderr, () => performance.now());
  const runner = await runHere(connection, {
    workflowId,
    batch: hasBatch(context.environment) ? batch : undefined,
    allocation,
    apiUrl: url,
    outputDir,
    submitTools,
    maxParallelJobs: options.maxParallelJobs,
    numCpus: options.numCpus,
    memoryGb: options.memoryGb,
    numGpus: options.numGpus,
    sharesMachine: shareOf(context, options),
    labels: labelsOf(options),
    choice: options.choice,
    ...endOf(options),
    pollIntervalSeconds: options.pollInterval ?? 5,
    claimBackoffMaxSeconds: options.claimBackoffMaxSecs ?? 300,
    outageMinutes: options.waitForHealthyDatabaseMinutes,
    persistent: options.persistent === true,
    keepTemporary: options.keepTemporary === true,
    othersMayCome: !settings.standalone,
    offline: {
      isEnabled: configuration['client.offline.enabled'],
      pingIntervalSeconds: configuration['client.offline.drain_ping_interval_secs'],
    },
    variables: [...jobVariables(workflowId), ...ofAllocation],
    logLevel: settings.logLevel,
    hint: context.hint,
    ...registration,
    onProgress: (state) => progress.update(state),
    onWaits: (words) => progress.waits(words),
    onNotice: (line) => progress.say(line),
    onJobEnded: watcherOf?.(progress.clear),
  });
  const unhook = held.release(actOn(context, runner, (text) => progress.say(text)));
  try {
    return await runner.done;
  } finally {
    unhook();
    progress.close();
  }
}

/** A standalone run shares its machine, with the named limits that it was given. */
function shareOf({ settings }: Context, { limit = [] }: Partial<RunnerValues>): RunnerOptions['sharesMachine'] {
  if (settings.standalone) return { database: resolve(settings.database), limits: Object.fromEntries(limit) };
  if (limit.length > 0)
    throw new UsageError(
      '--limit counts over the standalone runs (-s) of this machine; found a server. There the limits of the workflow and of the server count',
    );
  return undefined;
}

/** How actions of the workflow submit allocations from here. */
async function submitToolsOf(
  context: Context,
  { outputDir, keepTemporary: keeps }: Pick<RunnerChoices, 'outputDir' | 'keepTemporary'>,
): Promise<SubmitTools> {
  const { submitTools } = await import('../slurm/slurm-tools.ts');
  const pollInterval = context.configuration['client.slurm.poll_interval'];
  return submitTools(context, { outputDir, pollInterval, keepTemporary: keeps === true }, 'run');
}

/** The labels of `--label`, which may be repeated or separated by commas. */
export const labelsOf = ({ label = [] }: { readonly label?: readonly string[] | undefined }): string[] =>
  label.flatMap((text) => text.split(',')).filter((each) => each !== '');

/** When the runner must end: `--end-time`, which is a time of day and moves with the clock, precedes `--time-limit`. */
function endOf(options: Partial<RunnerValues>): Pick<RunnerOptions, 'endAtMs' | 'secondsLeft'> {
  const time = options.endTime;
  if (time !== undefined) {
    const at = Date.parse(time);
    if (Number.isNaN(at))
      throw new UsageError(`--end-time: expected a time such as 2026-01-31T18:00:00Z, found "${time}"`);
    const secondsLeft = () => Promise.resolve((at - Date.now()) / 1000);
    return { endAtMs: steadyNow() + at - Date.now(), secondsLeft };
  }
  const limit = options.timeLimit;
  return limit === undefined ? {} : { endAtMs: steadyNow() + parseDuration(limit) * 1000 };
}

/** A batch system and its helpers may deliver one request twice. A person who repeats it takes longer. */
const REPEATED_MS = 1_000;

/**
 * Ctrl-C signals the jobs to end, and the second time kills them; SIGTERM and a closed terminal signal them, and kill them if
 * they come again later.
 */
function actOn({ exitWith }: Context, runner: Runner, say: (text: string) => void): (signal: EndingSignal) => void {
  let askedAt: number | undefined;
  return (signal) => {
    const sinceMs = askedAt === undefined ? undefined : performance.now() - askedAt;
    if (signal !== 'SIGINT' && sinceMs !== undefined && sinceMs < REPEATED_MS) return;
    askedAt ??= performance.now();
    exitWith(exitCodes[signal]);
    const now = sinceMs !== undefined;
    say(
      now
        ? 'Killing the jobs.'
        : 'Ending: running jobs are asked to end, no job starts any more. Press again to kill them now.',
    );
    runner.stop({ now });
  };
}
