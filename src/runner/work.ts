import type { ExchangeReply } from '../core/contract/exchange.ts';
import { standardExecution, terminationOf } from '../core/contract/execution.ts';
import { signalCalled } from '../core/contract/signal.ts';
import { STANDARD_OUTAGE_MINUTES, type Workflow } from '../core/contract/workflow.ts';
import type { AttemptOptions } from './end/attempt.ts';
import type { Capacity } from './claim/capacity.ts';
import { type Conversation, type ConverseOptions, createConversation } from './report/conversation/converse.ts';
import type { Over } from './report/conversation/state.ts';
import { type RunningJobs, type RunningJobsOptions, createRunningJobs } from './start/running-jobs.ts';
import type { Drain } from './outage/drain.ts';
import type { ExchangeFailure } from './report/failed-exchange.ts';
import type { RunEnding, RunnerOptions } from './options.ts';
import type { Outbox } from './report/outbox.ts';
import { createIdlePolicy, type HasOpenJobs, type IdlePolicy } from './claim/idle-policy.ts';
import { createStop, type Stop } from './end/stop.ts';
import type { Steps } from './step/steps.ts';
import type { Prospect } from './claim/prospect.ts';
import { hasTimeFor, lacksTime, claimRequestOf } from './claim/request.ts';

const MINUTE_MS = 60_000;
/**
 * A server without a reply for this long counts as away. It answers in milliseconds, and the longest exchanges of the
 * busiest server take a few seconds; a shorter retry interval shortens this wait too.
 */
const LONGEST_SILENCE_MS = 10_000;

/** Why a runner ends, as far as it is known before the last job ended. */
export interface RunEnd {
  readonly ending: RunEnding;
  readonly reason?: string;
}

/** The actions of a workflow, as far as they keep a runner alive. */
interface BusyActions {
  readonly isBusy: boolean;
  consider(due: readonly number[]): void;
  keepsIdle(idleMs: number): Promise<boolean>;
}

export interface WorkOptions extends AttemptOptions {
  readonly options: Pick<
    RunnerOptions,
    | 'offline'
    | 'pollIntervalSeconds'
    | 'claimBackoffMaxSeconds'
    | 'maxParallelJobs'
    | 'labels'
    | 'endAtMs'
    | 'schedulerConfigId'
    | 'strictSchedulerMatch'
    | 'onProgress'
  >;
  readonly workflow: Workflow;
  readonly nodeId: number;
  readonly capacity: Capacity;
  readonly outbox: Outbox;
  readonly ask: ConverseOptions['ask'];
  /** With `--persistent`: the runner stays while this returns true. */
  readonly hasOpenJobs?: HasOpenJobs | undefined;
  /** See `IdlePolicyOptions`. */
  readonly prospect?: ((counts: ExchangeReply['jobs_by_status']) => Promise<Prospect>) | undefined;
  readonly steps: Steps;
  readonly actions: BusyActions;
  /** The behaviour while the server is away. */
  readonly drainOf: (runningJobs: RunningJobs, mayGoOn: () => boolean) => Drain;
  /** Ends the runner's own scripts within this many milliseconds. */
  readonly limitScripts: (ms: number) => void;
  /** It is time to check for lost runners of this host. */
  readonly onPoll: () => void;
  /** See `RunningJobsOptions`. */
  readonly fate?: RunningJobsOptions['fate'];
  /** See `IdlePolicyOptions`; the default is 0. */
  readonly stuckMs?: number | undefined;
}

/**
 * The work of a runner between setup and teardown: its jobs, its conversation with the server, and how both end.
 *
 * All inputs come from outside: replies of the server, ends of steps, events, signals. It reads no file and knows
 * no address, so a simulation can run it.
 */
export interface Work {
  readonly runningJobs: RunningJobs;
  readonly stop: Stop;
  readonly conversation: Conversation;
  readonly drain: Drain;
  readonly idlePolicy: IdlePolicy;
  /** Resolves when no job runs any more, with the reason. */
  readonly finished: Promise<RunEnd>;
  /** The number of jobs that it holds, and of actions that it executes. */
  held(): number;
  /** Begins to claim jobs. */
  open(): void;
  /** Events of the server's event stream. */
  readonly on: {
    workMayBeReady(changeId?: number): void;
    workflowChanged(changeId?: number): void;
    connected(): void;
    connectionLost(): void;
  };
  /** The time limit is near. */
  endForDeadline(killAtMs: number, abandonAtMs: number): void;
}

export function createWork(given: WorkOptions): Work {
  const { options, workflow, nodeId, facts, capacity, outbox, actions, log, limitScripts, hasOpenJobs } = given;
  const { workflowId, runId, execution } = facts;
  const { leadSeconds } = terminationOf(execution);
  const leastSeconds = workflow.compute_node_min_time_for_new_jobs_seconds ?? 300;
  const staysWhenComplete = workflow.compute_node_ignore_workflow_completion === true;
  const pingMs = options.offline.pingIntervalSeconds * 1000;
  /** The actions that precede the first job have ended. */
  let isOpen = false;
  let verdict: RunEnd = { ending: 'stopped' };
  let finish: (verdict: RunEnd) => void = () => {};
  const finished = new Promise<RunEnd>((resolve) => {
    finish = resolve;
  });

  const runningJobs = createRunningJobs({
    ...given,
    hasTimeFor: ({ runtime_seconds: seconds }) => hasTimeFor(options, Date.now(), seconds, leastSeconds),
    onEnded(count, isQuiet) {
      drain.ended();
      conversation.ended(count, isQuiet);
      stop.ended();
    },
    onBegun: () => conversation.consider(),
    onResumed: () => conversation.workMayBeReady(),
    onUnable(reason) {
      log.write('error', 'Jobs cannot be started here', { reason });
      verdict = { ending: 'unable', reason };
      stop.drain();
    },
  });
  const stop = createStop({
    runningJobs,
    log,
    workflowId,
    signal: signalCalled(execution.termination_signal ?? standardExecution.termination_signal) as NodeJS.Signals,
    leadSeconds,
    onEmpty: () => finish(verdict),
  });
  const drain = given.drainOf(runningJobs, () => !stop.began);

  const onReply = (reply: ExchangeReply) => {
    drain.told();
    options.onProgress?.({
      counts: reply.jobs_by_status,
      runningHere: runningJobs.running,
      endsPerSecond: conversation.rate,
    });
    if (reply.due_actions) actions.consider(reply.due_actions);
    if (!stop.began) idlePolicy.consider(reply);
  };
  const onOffline = (failure: ExchangeFailure) => {
    if (options.offline.isEnabled) drain.begin(failure);
    if (!options.offline.isEnabled || runningJobs.running === 0) conversation.giveUp();
  };
  const onOver = (over: Over) => {
    verdict = { ending: over.kind, ...('reason' in over ? { reason: over.reason } : {}) };
    if (over.kind !== 'unreachable' && over.kind !== 'behind') {
      if (over.kind !== 'complete') limitScripts(leadSeconds * 1000);
      stop.ask('cancel');
    } else if (options.offline.isEnabled) stop.drain();
    else stop.kill('stop');
  };

  const conversation: Conversation = createConversation({
    ask: given.ask,
    runId,
    nodeId,
    runningJobs,
    outbox,
    log,
    want: (prefetch, ahead) =>
      stop.began || !isOpen || runningJobs.isHeldOff
        ? undefined
        : claimRequestOf(options, capacity, prefetch, Date.now(), leastSeconds, ahead),
    slots: () =>
      Math.max(1, runningJobs.running + Math.min(capacity.free().cpus, capacity.total.cpus - runningJobs.running)),
    patienceMs: (workflow.compute_node_wait_for_healthy_database_minutes ?? STANDARD_OUTAGE_MINUTES) * MINUTE_MS,
    pingMs,
    silentMs: Math.min(LONGEST_SILENCE_MS, pingMs),
    staysWhenComplete,
    onReply,
    onOffline,
    onOnline: () => drain.end(),
    onOver,
  });

  // No job before the actions of the start.
  const workMayBeReady = (changeId?: number) => {
    if (isOpen) conversation.workMayBeReady(changeId);
  };
  const workflowChanged = (changeId?: number) => {
    if (isOpen) conversation.mustAsk(changeId);
  };
  const held = () => runningJobs.running + runningJobs.queued + Number(actions.isBusy);
  const leave = async (ending: 'idle' | 'stuck', reason: string) => {
    // If no job can start any more, no action can be triggered either.
    const idleMs = ending === 'stuck' ? Infinity : performance.now() - conversation.lastProgress;
    if (!(await actions.keepsIdle(idleMs)) && held() === 0) finish({ ending, reason });
  };
  const idlePolicy = createIdlePolicy({
    baseMs: options.pollIntervalSeconds * 1000,
    capMs: options.claimBackoffMaxSeconds * 1000,
    idleMs: (workflow.compute_node_wait_for_new_jobs_seconds ?? 0) * 1000,
    stuckMs: given.stuckMs ?? 0,
    staysAlways: staysWhenComplete,
    hasOpenJobs,
    prospect: given.prospect,
    refusal: () =>
      lacksTime(options, Date.now(), leastSeconds)
        ? `a runner that counts jobs takes none in its last ${leastSeconds} s (compute_node_min_time_for_new_jobs_seconds)`
        : undefined,
    onTell: (words) => log.write('warn', words, { workflow_id: workflowId }),
    held,
    hasChildren: () => runningJobs.running > 0,
    lastProgress: () => conversation.lastProgress,
    onPoll() {
      workflowChanged();
      given.onPoll();
    },
    onLeave: (ending, reason) => void leave(ending, reason),
  });

  return {
    runningJobs,
    stop,
    conversation,
    drain,
    idlePolicy,
    finished,
    held,
    open() {
      isOpen = true;
      conversation.consider();
      // It wants no job, so nothing else would ask how the workflow stands.
      if (lacksTime(options, Date.now(), leastSeconds)) conversation.mustAsk();
    },
    on: {
      workMayBeReady,
      workflowChanged,
      connected() {
        if (isOpen) conversation.connected();
      },
      connectionLost: () => conversation.connectionLost(),
    },
    endForDeadline(killAtMs, abandonAtMs) {
      // A runner that is already ending keeps its reason.
      if (!stop.began) verdict = { ending: 'deadline', reason: 'the time limit of the runner is near' };
      stop.ask('deadline', killAtMs, abandonAtMs);
    },
  };
}
