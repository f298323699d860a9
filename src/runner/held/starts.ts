import { STDIO_FOLDER } from '../../core/contract/files/job.ts';
import { beganLater, beginAttempt, logBegin, reportBegin } from '../attempt/attempt.ts';
import type { Capacity, Lease } from '../claim/capacity.ts';
import { LaunchError } from '../launch/launcher.ts';
import { OutputFolderError } from '../launch/output-folders.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import type { Watch } from '../observe/watch.ts';
import type { Steps } from '../step/steps.ts';
import type { JobStates, QueuedJob, PlacedAttempt } from './job-states.ts';
import { createRefusals } from './refusals.ts';
import { createSendingAhead } from './sending-ahead.ts';
import { createStartPause } from './start-pause.ts';
import type { WaitingJobs } from './waiting-jobs.ts';

export interface StartsOptions {
  readonly run: CurrentRun;
  readonly jobs: JobStates;
  readonly waiting: WaitingJobs;
  readonly capacity: Capacity;
  readonly steps: Pick<Steps, 'start' | 'mayFollow' | 'takeBack'>;
  readonly watch: Pick<Watch, 'begin'> | undefined;
  /** An attempt began: limits of its time count from here. */
  readonly limitTime: (attempt: PlacedAttempt) => void;
  /** A step began after a wait. */
  readonly onBegun: () => void;
  /** Jobs can be started again after a pause. */
  readonly onResumed: () => void;
  /** No runner can start this job. */
  readonly onUnstartable: (queued: QueuedJob, error: LaunchError) => void;
  /** Jobs cannot be started here at all, for this reason. */
  readonly onUnable: (reason: string) => void;
}

/**
 * Pause after a step was refused. Its job is ready again, and this runner may claim it: too short, and both ask in circles;
 * too long, and free CPUs wait for a batch system that was busy for a moment.
 */
const AFTER_REFUSAL_MS = 5_000;
/** Pause before a launch is repeated that failed because of missing processes or memory. */
const RETRY_LAUNCH_MS = 100;

export type Starts = ReturnType<typeof createStarts>;

/** Starts the jobs that wait, where there is room for them. */
export function createStarts(options: StartsOptions) {
  const { run, jobs, waiting, capacity, steps, watch, limitTime, onBegun, onResumed, onUnstartable, onUnable } =
    options;
  const refusals = createRefusals();
  const startPause = createStartPause(AFTER_REFUSAL_MS, () => {
    refusals.nextRound();
    fill();
    onResumed();
  });
  const isFull = () => capacity.free().cpus <= 0;

  const begin = (attempt: PlacedAttempt) => {
    reportBegin(run, attempt);
    limitTime(attempt);
  };

  /** It waited for its turn before. */
  const begunLater = (attempt: PlacedAttempt, agoMs: number) => {
    if (jobs.running.get(attempt.step.id) !== attempt) return;
    beganLater(attempt, agoMs);
    begin(attempt);
    refusals.started();
    onBegun();
  };

  /** False if no more jobs can be started for now. With `before` it is sent ahead, and starts in the place of that attempt. */
  const start = (queued: QueuedJob, lease: Lease, before?: PlacedAttempt): boolean => {
    const { job } = queued;
    try {
      const attempt = jobs.start(beginAttempt(run, steps, job, lease, before?.step.id), lease, before);
      const { id, begun } = attempt.step;
      watch?.begin(id, job);
      if (begun === undefined) begin(attempt);
      else void begun.then((agoMs) => begunLater(attempt, agoMs));
      return true;
    } catch (error) {
      if (before === undefined) capacity.release(lease);
      if (!(error instanceof LaunchError)) throw error;
      return failed(queued, error);
    }
  };

  /** A launch failed; false if no more jobs can be started for now. */
  const failed = (queued: QueuedJob, error: LaunchError): boolean => {
    const { job } = queued;
    switch (afterFailedStart(error)) {
      case 'try-again':
        run.log.write('warn', 'Job not started, trying again', { job_id: job.id, error: error.message });
        jobs.enqueue(job, 'first');
        startPause.begin(RETRY_LAUNCH_MS, 'launch');
        return false;
      case 'fail-job':
        onUnstartable(queued, error);
        return true;
      case 'stop-runner':
        jobs.enqueue(job, 'first');
        onUnable(
          `job ${job.id} (${job.name}) could not be started: ${error.message}, output folder ${run.outputDir}/${STDIO_FOLDER}`,
        );
        return false;
    }
  };

  const sendingAhead = createSendingAhead({ steps, jobs, start, hasRoom: () => !isFull() });

  const fill = () => {
    if (!waiting.isOpen || startPause.isOn) return;
    jobs.startFitting({ isFull, lease: ({ need }) => capacity.lease(need), start });
    if (!startPause.isOn) sendingAhead.fill();
  };

  return {
    /** Whether a job of one CPU and no memory could start now. */
    get hasRoom() {
      return waiting.isOpen && !startPause.isOn && !isFull();
    },
    /** A step was refused just now: no job is wanted until the pause is over. */
    get isHeldOff() {
      return startPause.isForRefusal;
    },
    /** Starts the jobs that fit, in order, and skips the others. */
    fill,
    /** The same, only if jobs became free that waited for others. */
    fillFreed() {
      if (waiting.hasFreed()) fill();
    },
    noteLength: sendingAhead.noteLength,
    /** An attempt has run: its start is logged, if it was not seen to begin. */
    seen(attempt: PlacedAttempt) {
      refusals.started();
      logBegin(run, attempt);
    },
    /** A step was refused after its start: its job runs somewhere else, or here later. */
    refused({ job }: PlacedAttempt, reason: string) {
      run.log.write('warn', 'Job not started: its step was refused; the job is given back', { job_id: job.id, reason });
      waiting.giveBack(job);
      if (!waiting.isOpen) return;
      const cause = refusals.refused(reason);
      if (cause === undefined) startPause.begin(AFTER_REFUSAL_MS, 'refusal');
      else onUnable(cause);
    },
    /** A step that was sent ahead did not start: its job is the next again, if jobs may start. */
    takenBack({ job, isCanceled }: PlacedAttempt) {
      sendingAhead.noteReturn();
      if (!waiting.isOpen || isCanceled === true) return waiting.giveBack(job);
      jobs.enqueue(job, 'first');
      fill();
    },
    /** No start follows a pause, and no job that was sent ahead is to begin, unless it has. */
    stop() {
      startPause.end();
      sendingAhead.takeBackAll();
    },
  };
}

/** Missing processes or memory pass; some errors are the job's own; with all others no job can start here. */
export function afterFailedStart(error: LaunchError): 'try-again' | 'fail-job' | 'stop-runner' {
  if (error.isPassing) return 'try-again';
  return error.isOfJob || error instanceof OutputFolderError ? 'fail-job' : 'stop-runner';
}
