import { steadyNow } from '../../client/steady-clock.ts';
import { marginsOf } from '../../core/allocation/usable-time.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import type { CancelUnneeded } from '../actions/unneeded.ts';
import { type ClaimRules, hasTimeFor, noTimeReason } from '../claim/claim-time.ts';
import {
  createIdlePolicy,
  type HasOpenJobs,
  type IdlePolicy,
  type IdlePolicyOptions,
  type Leave,
} from '../claim/idle-policy.ts';
import { claimRequestOf } from '../claim/request.ts';
import { createHeldJobs, type HeldJobs, type HeldOptions } from '../held/held-jobs.ts';
import { createStop } from '../held/stop.ts';
import type { RunnerOptions } from '../facts/options.ts';
import type { Drain } from '../outage/drain.ts';
import { type Conversation, type ConverseOptions, createConversation } from '../report/conversation/converse.ts';
import type { TurnsOptions } from '../report/conversation/turns.ts';
import { createReplies } from './replies.ts';
import { createRunEnds, type RunnerEnd } from './run-end.ts';
import type { RunShare } from '../share/run-share.ts';
import { type WorkRules, workRules } from './work-rules.ts';

/** The actions of a workflow, as far as they keep a runner alive. */
interface BusyActions {
  readonly isBusy: boolean;
  consider(due: readonly number[]): void;
  keepsIdle(idleMs: number): Promise<boolean>;
}

export interface WorkOptions extends Omit<HeldOptions, 'hasTimeFor' | 'termination' | 'warnsSteps' | 'on'> {
  readonly options: Pick<
    RunnerOptions,
    | 'offline'
    | 'pollIntervalSeconds'
    | 'claimBackoffMaxSeconds'
    | 'computeNodeType'
    | 'persistent'
    | 'maxParallelJobs'
    | 'labels'
    | 'endAtMs'
    | 'schedulerConfigId'
    | 'strictSchedulerMatch'
    | 'onProgress'
    | 'choice'
    | 'onWaits'
  >;
  readonly workflow: Workflow;
  readonly nodeId: number;
  readonly ask: ConverseOptions['ask'];
  /** With `--persistent`: the runner stays while this returns true. */
  readonly hasOpenJobs?: HasOpenJobs | undefined;
  /** See `IdlePolicyOptions`. */
  readonly prospect?: IdlePolicyOptions['prospect'];
  readonly actions: BusyActions;
  /** The behaviour while the server is away. */
  readonly drainOf: (jobs: HeldJobs, mayGoOn: () => boolean) => Drain;
  readonly sweep?: TurnsOptions['sweep'];
  /** Whether the server may ask this runner to cancel queued allocations, and how it does. */
  readonly cancelsAllocations?: boolean;
  readonly cancelUnneeded?: CancelUnneeded;
  /** Ends the runner's own scripts within this many milliseconds. */
  readonly limitScripts: (ms: number) => void;
  /** It is time to check for lost runners of this host. */
  readonly onPoll: () => void;
  readonly share?: Pick<RunShare, 'begin'> | undefined;
  /** See `IdlePolicyOptions`; the default is 0. */
  readonly stuckMs?: number | undefined;
}

export type RunnerWork = ReturnType<typeof createRunnerWork>;

/**
 * The work of a runner between setup and teardown: its jobs, its conversation with the server, and how both end.
 *
 * All inputs come from outside: replies of the server, ends of steps, events, signals. It reads no file and knows
 * no address, so a simulation can run it.
 */
export function createRunnerWork(given: WorkOptions) {
  const { options, run, actions } = given;
  const rules = workRules(options, given.workflow, run);
  const claimRules = { ...rules, margins: marginsOf(run.execution), startedAtMs: steadyNow() };
  /** The actions that precede the first job have ended. */
  let isOpen = false;
  const ends = createRunEnds();

  const jobs = createHeldJobs({
    ...given,
    termination: rules,
    warnsSteps: Boolean(run.execution.srun_termination_signal),
    hasTimeFor: ({ runtime_seconds: seconds }) => hasTimeFor(options, claimRules, steadyNow(), seconds),
    on: {
      ended(count, isQuiet) {
        drain.ended();
        conversation.ended(count, isQuiet);
        stop.ended();
      },
      freed: (count) => conversation.freed(count),
      begun: () => conversation.consider(),
      resumed: () => conversation.workMayBeReady(),
      unable(reason) {
        run.log.write('error', 'Jobs cannot be started here', { reason });
        ends.because({ ending: 'unable', reason });
        stop.drain();
      },
    },
  });
  given.share?.begin({
    queued: () => jobs.queued,
    onRoom: jobs.startWaiting,
    onWaits(words) {
      if (words !== undefined) run.log.write('debug', words);
      options.onWaits?.(words);
    },
  });
  const stop = createStop({ ...rules, jobs, run, onEmpty: () => ends.finish() });
  const drain = given.drainOf(jobs, () => !stop.began);
  const claims = claimsOf(given, claimRules, jobs);
  const conversation: Conversation = createConversation({
    ...rules,
    ...createReplies({
      options,
      actions,
      cancelUnneeded: given.cancelUnneeded,
      limitScripts: given.limitScripts,
      jobs,
      stop,
      drain,
      ends,
      termination: rules,
      conversation: () => conversation,
      idlePolicy: () => idlePolicy,
    }),
    run,
    nodeId: given.nodeId,
    ask: given.ask,
    cancelsAllocations: given.cancelsAllocations === true,
    sweep: given.sweep,
    choice: options.choice,
    jobs,
    want: (prefetch, ahead) => (stop.began || !isOpen || jobs.isHeldOff ? undefined : claims.want(prefetch, ahead)),
    slots: claims.slots,
  });

  const held = () => jobs.running + jobs.queued + Number(actions.isBusy);
  const on = streamEventsOf(conversation, () => isOpen);
  const idlePolicy = idlePolicyOf(
    given,
    { ...rules, ...claimRules },
    { jobs, conversation, held, on, finish: ends.finish },
  );

  return {
    jobs,
    stop,
    conversation,
    drain,
    idlePolicy,
    /** Resolves when no job runs any more, with the reason. */
    finished: ends.finished,
    /** The number of jobs that it holds, and of actions that it executes. */
    held,
    /** Begins to claim jobs. */
    open() {
      isOpen = true;
      conversation.consider();
      // It wants no job, so nothing else would ask how the workflow stands.
      if (noTimeReason(options, claimRules, steadyNow()) !== undefined) conversation.mustAsk();
    },
    /** Events of the server's event stream. */
    on,
    /** The time limit is near. */
    endForDeadline(killAtMs: number, abandonAtMs: number) {
      // A runner that is already ending keeps its reason.
      if (!stop.began) ends.because({ ending: 'deadline', reason: 'the time limit of the runner is near' });
      stop.ask('deadline', killAtMs, abandonAtMs);
    },
  };
}

/** No job is claimed before the actions of the start. */
const streamEventsOf = (conversation: Conversation, isOpen: () => boolean) => ({
  workMayBeReady(changeId?: number) {
    if (isOpen()) conversation.workMayBeReady(changeId);
  },
  workflowChanged(changeId?: number) {
    if (isOpen()) conversation.mustAsk(changeId);
  },
  connected() {
    if (isOpen()) conversation.connected();
  },
  connectionLost: () => conversation.connectionLost(),
});

/** What the runner claims, by its free resources. */
const claimsOf = (
  { options, capacity }: WorkOptions,
  rules: ClaimRules,
  jobs: HeldJobs,
): Required<Pick<ConverseOptions, 'want' | 'slots'>> => ({
  want: (prefetch, ahead) => claimRequestOf(options, capacity, prefetch, steadyNow(), rules, ahead),
  slots: () => Math.max(1, jobs.running + Math.min(capacity.free().cpus, capacity.total.cpus - jobs.running)),
});

/** Polls for jobs, and ends a runner for which nothing is left, unless its actions need it. */
function idlePolicyOf(
  { options, run, actions, hasOpenJobs, prospect, stuckMs, onPoll }: WorkOptions,
  rules: WorkRules & ClaimRules,
  parts: {
    readonly jobs: HeldJobs;
    readonly conversation: Conversation;
    readonly held: () => number;
    readonly on: ReturnType<typeof streamEventsOf>;
    readonly finish: (end: RunnerEnd) => void;
  },
): IdlePolicy {
  const { baseMs, capMs, idleMs, noWorkMs, staysWhenComplete } = rules;
  const { jobs, conversation, held } = parts;
  const leave = async ({ ending, reason, isProven }: Leave) => {
    const idleSinceMs = isProven ? Infinity : performance.now() - conversation.lastProgress;
    if (!(await actions.keepsIdle(idleSinceMs)) && held() === 0) parts.finish({ ending, reason });
  };
  return createIdlePolicy({
    baseMs,
    capMs,
    idleMs,
    stuckMs: stuckMs ?? 0,
    staysAlways: staysWhenComplete,
    staysForLimits: options.computeNodeType === 'local',
    hasOpenJobs,
    prospect,
    noWorkMs,
    refusal: () => noTimeReason(options, rules, steadyNow()),
    onReport: (words) => run.log.write('warn', words, { workflow_id: run.workflowId }),
    held,
    hasChildren: () => jobs.running > 0,
    lastProgress: () => conversation.lastProgress,
    onPoll() {
      parts.on.workflowChanged();
      onPoll();
    },
    onLeave: (given) => void leave(given),
  });
}
