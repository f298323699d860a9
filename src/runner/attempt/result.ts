import { causeFields } from '../../core/attempt/cause-fields.ts';
import type { Evidence } from '../../core/attempt/evidence.ts';
import { exitCodesOf, failsForStale, judge, NOT_EXECUTABLE, type Verdict } from '../../core/attempt/judge.ts';
import type { ClaimedJob, Completion } from '../../core/contract/exchange.ts';
import { filesOf } from '../../core/contract/files/job.ts';
import { type FailureCause, failureCauseOf } from '../../core/lifecycle/retry/cause-verdict.ts';
import { type Timeout, timeoutWords } from '../../core/attempt/timeout.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import type { OverRequest } from '../facts/options.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import type { MeasuredAttempt, Observed } from '../observe/watched.ts';
import type { StepAccount } from '../step/steps.ts';
import type { EndedAttempt } from './attempt.ts';
import type { KnownEnd } from './evidence.ts';
import { sayWhy } from './say-why.ts';

export interface JudgeOptions {
  readonly run: CurrentRun;
  /** The memory that a job may use; undefined for one that asked for none. */
  readonly memoryLimitOf?: ((job: ClaimedJob) => number | undefined) | undefined;
  /** The longest time that a job may run; undefined for one without a limit. */
  readonly timeoutOf?: ((job: ClaimedJob) => Timeout | undefined) | undefined;
  /** An attempt ended that was watched. */
  readonly onMeasured?: ((attempt: MeasuredAttempt) => void) | undefined;
}

/** An attempt with its result. */
export interface JudgedAttempt {
  readonly job: ClaimedJob;
  readonly completion: Completion;
  /** What ended it, if rules of failure handlers are about that. */
  readonly failure: FailureCause | undefined;
  /** The timeout at which it was ended. */
  readonly timeout: Timeout | undefined;
  readonly isCanceled: boolean;
}

export type Judge = ReturnType<typeof createJudge>;

/** Gives attempts their results. */
export function createJudge({ run, memoryLimitOf, timeoutOf, onMeasured }: JudgeOptions) {
  const { execution, log } = run;
  const overMemory = createOverRequests();
  const codes = exitCodesOf(execution);
  const fails = failsForStale(execution);

  /** What a user should know of an attempt beside its result. */
  const warn = (
    { attempt: { job } }: KnownEnd,
    verdict: Verdict,
    evidence: Evidence,
    peakBytes: number,
    askedBytes: number,
  ) => {
    const { missingOutputs = [], staleOutputs = [] } = evidence;
    const which = { job_id: job.id, job_name: job.name };
    if (missingOutputs.length > 0 && verdict.status !== 'completed')
      log.write('warn', 'Job did not write declared output files', { ...which, missing: missingOutputs.join(', ') });
    if (verdict.cause === 'stale_output')
      log.write('warn', 'Job did not touch declared output files that were there before', {
        ...which,
        untouched: staleOutputs.join(', '),
      });
    if (peakBytes <= askedBytes || verdict.cause === 'memory') return;
    overMemory.add(job, peakBytes, askedBytes);
    log.write('warn', 'Job used more memory than it asked for', {
      workflow_id: run.workflowId,
      job_id: job.id,
      used: sizeText(peakBytes),
      asked: sizeText(askedBytes),
    });
  };

  return {
    overMemory: overMemory as OverRequest,
    /** `observed`: its samples, if it was watched. */
    judge(known: KnownEnd, observed: Observed | undefined): JudgedAttempt {
      const { attempt, account, seconds, endedFor, allocationEnd, outputs, inputs } = known;
      const { job, startedAtMs, wasKilled } = attempt;
      const figures = recordedUseOf(account, seconds, observed);
      const peakBytes = figures.peak_memory_bytes ?? 0;
      const askedBytes = memoryLimitOf?.(job) ?? Infinity;
      const evidence: Evidence = {
        ...account,
        endedFor,
        wasKilled,
        allocationEnd,
        missingOutputs: outputs?.missing,
        staleOutputs: outputs?.stale,
        failsForStale: fails,
        memoryShare: peakBytes / askedBytes,
      };
      const verdict = judge(evidence, codes);
      warn(known, verdict, evidence, peakBytes, askedBytes);
      const timeout = endedFor === 'timeout' ? timeoutOf?.(job) : undefined;
      const words = timeout === undefined ? account.cause : timeoutWords(timeout, verdict.status !== 'completed');
      const causes = causeFields(verdict, { ...evidence, peakBytes, askedBytes }, words);
      const found = { ...(outputs && { files: outputs.files }), ...(inputs && { inputs }) };
      const measured = { ...recordedOf(account, figures, found), ...causes };
      if (observed !== undefined) onMeasured?.({ job, startedAtMs, seconds, observed, measured });
      return {
        job,
        completion: completionOf(job, verdict, known, measured),
        failure: allocationEnd === 'preempted' ? 'node' : failureCauseOf(verdict.cause),
        timeout,
        isCanceled: endedFor === 'cancel',
      };
    },
    /** The result of a job that no runner can start: its command is too long, or its output has no folder. */
    judgeUnstartable(job: ClaimedJob, { message }: Error): JudgedAttempt {
      sayWhy(filesOf(run, job).stderr, message);
      log.write('error', 'Job cannot be started', { job_id: job.id, job_name: job.name, error: message });
      const verdict = judge({ exitCode: NOT_EXECUTABLE }, codes);
      const fields = { cause_code: verdict.cause, cause: message };
      const completion = completionOf(job, verdict, { atMs: Date.now(), seconds: 0 }, fields);
      return { job, completion, failure: undefined, timeout: undefined, isCanceled: false };
    },
  };
}

/** The result as it is reported. */
const completionOf = (
  { id, attempt_id }: ClaimedJob,
  { status, returnCode }: Verdict,
  { atMs, seconds }: Pick<EndedAttempt, 'atMs' | 'seconds'>,
  measured: Partial<Completion>,
): Completion => ({
  job_id: id,
  attempt_id,
  status,
  return_code: returnCode,
  exec_time_minutes: seconds / 60,
  completion_time: new Date(atMs).toISOString(),
  ...measured,
});

/** What its result records of an attempt beside its verdict: figures, and its files. */
export const recordedOf = (
  account: StepAccount,
  figures: Partial<Completion>,
  found: Pick<Completion, 'files' | 'inputs'>,
): Partial<Completion> => ({ ...figures, ...found, ...statsOf(account, figures) });

/** The statistics of Slurm. It has none of an attempt that ran inside a step of its runner: our own figures stand in. */
function statsOf(
  { stats, cpuSeconds }: StepAccount,
  { peak_memory_bytes: peakBytes }: Partial<Completion>,
): Pick<Completion, 'slurm_stats'> {
  if (stats === undefined) return {};
  const own = stats.slurm_step === undefined ? {} : { max_rss_bytes: peakBytes, ave_cpu_seconds: cpuSeconds };
  return { slurm_stats: { ...own, ...stats } };
}

/** The figures of the kernel and of the samples for an attempt; one that was not measured is absent, also for a monitored job. */
export function recordedUseOf(
  { cpuSeconds, peakBytes, peakGpuBytes, gpuBytes, gpuWatts }: Omit<StepAccount, 'exitCode' | 'signal'>,
  seconds: number,
  observed: Observed | undefined,
): Partial<Completion> {
  const sampled = observed === undefined || observed.samples === 0 ? undefined : observed;
  const used = cpuSeconds ?? sampled?.cpuSeconds;
  const average = used === undefined || seconds <= 0 ? undefined : (used / seconds) * 100;
  const peakCpu = Math.max(sampled?.peakCpuPercent ?? 0, average ?? 0);
  // A step of Slurm may have a first figure, and end before there is another one to compare with.
  const peakMemory = Math.max(observed?.peakMemoryBytes ?? 0, peakBytes ?? 0);
  return {
    ...(average === undefined ? {} : { avg_cpu_percent: average, peak_cpu_percent: peakCpu }),
    ...(peakMemory === 0 ? {} : { peak_memory_bytes: peakMemory }),
    ...(sampled === undefined ? {} : { avg_memory_bytes: sampled.averageMemoryBytes }),
    ...(peakGpuBytes ? { peak_gpu_memory_bytes: peakGpuBytes, gpu_memory_bytes: gpuBytes } : {}),
    ...(gpuWatts ? { avg_gpu_watts: Math.round(gpuWatts * 10) / 10 } : {}),
  };
}

/** Jobs that are named at the end of a run; the others are counted. */
const NAMED = 5;

/** Remembers the jobs that used more memory than they asked for and were not ended for it. */
function createOverRequests() {
  const ids = new Set<number>();
  const named = new Map<number, OverRequest['named'][number]>();
  return {
    add({ id, name }: ClaimedJob, peakBytes: number, askedBytes: number) {
      ids.add(id);
      // A later attempt of the same job takes the place of the earlier one.
      if (named.has(id) || named.size < NAMED) named.set(id, { id, name, peakBytes, askedBytes });
    },
    get jobs() {
      return ids.size;
    },
    get named() {
      return [...named.values()];
    },
  };
}
