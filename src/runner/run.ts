import { createClient, queryOf } from '../client/client.ts';
import { patiently } from '../client/retry.ts';
import { signalCalled } from '../core/contract/signal.ts';
import { createActions } from './act/actions.ts';
import { findAllocation } from './allocation.ts';
import { conclude } from './conclude.ts';
import { createConversation } from './converse.ts';
import { createCrate } from './crate/crate.ts';
import { createCrew } from './crew.ts';
import { deadlineOf, scriptsEndAt, terminationOf } from './deadline.ts';
import { createLauncher } from './launch/choose.ts';
import { preferSmallHeap } from './heap.ts';
import { createLookout } from './lookout.ts';
import { atMoment } from './moment.ts';
import { startMonitor } from './monitor/monitor.ts';
import type { Ending, Runner, RunnerOptions, RunSummary } from './options.ts';
import { createOutbox } from './outbox.ts';
import { register } from './register.ts';
import { createRest } from './rest.ts';
import { createStop } from './stop.ts';
import { prepareForOutages } from './prepare-for-outages.ts';
import { createRetry } from './retry/retry.ts';
import { createShells } from './launch/shell.ts';
import { createWake, WAKING_EVENTS } from './wake.ts';
import { wantOf } from './want.ts';

const MINUTE_MS = 60_000;
/**
 * How long setup and teardown wait for a server that is away. An allocation was waited for and is not given up as soon as
 * a person at a terminal is told; at its end nothing is left to do that others would wait for.
 */
const SETUP_PATIENCE_MS = { local: MINUTE_MS, slurm: 20 * MINUTE_MS };
const TEARDOWN_PATIENCE_MS = MINUTE_MS;

const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** Why a runner ends, as far as it is known before nothing runs any more. */
interface Verdict {
  readonly ending: Ending;
  readonly reason?: string;
}

/**
 * Runs jobs of a workflow on this machine until there is nothing left to do.
 *
 * Setup: what a runner of this host left behind is taken back, the runner is registered, the event stream opened. Then
 * events alone drive it: a job that ended, a job that may have become ready, a signal, the end of its time. Teardown:
 * everything is told, the runner is deregistered, the ledger removed.
 */
export async function startRunner(given: RunnerOptions): Promise<Runner> {
  preferSmallHeap();
  const startedAtMs = Date.now();
  const { send } = given.connection;
  const client = createClient(send);
  // Before and after the jobs a server that is away is waited for; while they run the conversation sees to that.
  const patient = (patienceMs: number) =>
    createClient(patiently(send, { patienceMs, now: Date.now, wait, onAway: given.onNotice }));
  const waiting = patient(SETUP_PATIENCE_MS[given.computeNodeType]);
  const allocation = await findAllocation(waiting, given);
  const { options } = allocation;
  const registered = await register(waiting, options, startedAtMs);
  const { workflow, nodeId, facts, capacity, ledger, log } = registered;
  await allocation.becomes('active', log);
  const { workflowId, runId, execution } = facts;
  const leastSeconds = workflow.compute_node_min_time_for_new_jobs_seconds ?? 300;
  const { leadSeconds, headroomSeconds } = terminationOf(execution);
  const { endAtMs } = options;
  const deadline = endAtMs === undefined ? undefined : deadlineOf(startedAtMs, endAtMs, headroomSeconds, leadSeconds);

  let finish: (verdict: Verdict) => void = () => {};
  const finished = new Promise<Verdict>((resolve) => {
    finish = resolve;
  });
  let verdict: Verdict = { ending: 'stopped' };

  const monitor = await startMonitor({
    client: waiting,
    workflow,
    facts,
    scheduler: options.scheduler,
    log,
    onKill: (pid) => crew.condemn(pid, 'memory'),
  });
  const outbox = createOutbox();
  const shells = createShells(deadline && scriptsEndAt(deadline), Date.now);
  const retry = await createRetry({
    client: waiting,
    facts,
    usesPendingFailed: workflow.use_pending_failed === true,
    ledger,
    outbox,
    shells,
    log,
  });
  const crate = createCrate({ client: waiting, facts, workflow, startedAtMs, log });
  const actions = await createActions({
    client: waiting,
    facts,
    nodeId,
    shells,
    scheduling: options.scheduling,
    log,
    onDone: () => hope(),
  });
  const launcher = createLauncher({ environment: { ...process.env }, onEnd: (endings) => crew.onEndings(endings) });
  const crew = createCrew({
    facts,
    capacity,
    launcher,
    ledger,
    outbox,
    watch: monitor.watch,
    retry,
    crate,
    log,
    onEnded(count) {
      drain.ended();
      conversation.ended(count);
      stop.ended();
    },
    onUnable(reason) {
      log.write('error', 'Jobs cannot be started here', { reason });
      verdict = { ending: 'unable', reason };
      stop.drain();
    },
  });
  const stop = createStop({
    crew,
    log,
    workflowId,
    signal: signalCalled(execution.termination_signal ?? 'SIGTERM') as NodeJS.Signals,
    leadSeconds,
    onEmpty: () => finish(verdict),
  });
  const { drain, journal, outage, silentMs } = prepareForOutages({
    options,
    registered,
    crew,
    outbox,
    patienceMs: (workflow.compute_node_wait_for_healthy_database_minutes ?? 20) * MINUTE_MS,
    mayGoOn: () => !stop.began,
    giveUp: () => conversation.giveUp(),
  });
  /** What belongs before the first job has been done. */
  let isOpen = false;
  const conversation = createConversation({
    client,
    workflowId,
    runId,
    nodeId,
    crew,
    outbox,
    log,
    want: (prefetch) =>
      stop.began || !isOpen ? undefined : wantOf(options, capacity, prefetch, Date.now(), leastSeconds),
    slots: () => Math.max(1, crew.running + Math.min(capacity.free().cpus, capacity.total.cpus - crew.running)),
    outage,
    silentMs,
    onReply(reply) {
      drain.told();
      options.onProgress?.({
        counts: reply.jobs_by_status,
        runningHere: crew.running,
        endsPerSecond: conversation.rate,
      });
      if (reply.due_actions) actions.consider(reply.due_actions);
      if (!stop.began) rest.consider(reply);
    },
    onOver(over) {
      verdict = { ending: over.kind, ...('reason' in over ? { reason: over.reason } : {}) };
      if (over.kind !== 'unreachable' && over.kind !== 'behind') {
        if (over.kind !== 'complete') shells.limit(leadSeconds * 1000);
        stop.ask('cancel');
      } else if (options.offline.isEnabled) stop.drain();
      else stop.kill('stop');
    },
    staysWhenComplete: workflow.compute_node_ignore_workflow_completion === true,
  });
  // No job before the actions of the start.
  const hope = (changeId?: number) => {
    if (isOpen) conversation.hope(changeId);
  };
  const ask = (changeId?: number) => {
    if (isOpen) conversation.ask(changeId);
  };
  const held = () => crew.running + crew.queued + Number(actions.isBusy);
  const leave = async (ending: 'idle' | 'stuck', reason: string) => {
    // Where no job can start any more, none can bring the trigger of an action either.
    const idleMs = ending === 'stuck' ? Infinity : performance.now() - conversation.lastProgress;
    if (!(await actions.keepsIdle(idleMs)) && held() === 0) finish({ ending, reason });
  };
  const rest = createRest({
    baseMs: options.pollIntervalSeconds * 1000,
    capMs: options.claimBackoffMaxSeconds * 1000,
    idleMs: (workflow.compute_node_wait_for_new_jobs_seconds ?? 0) * 1000,
    persistent: options.persistent || workflow.compute_node_ignore_workflow_completion === true,
    held,
    hasChildren: () => crew.running > 0,
    lastProgress: () => conversation.lastProgress,
    onPoll() {
      ask();
      lookout.look();
    },
    onLeave: (ending, reason) => void leave(ending, reason),
  });
  const lookout = createLookout({
    client,
    workflowId,
    runId,
    hostname: registered.hostname,
    log,
    isIdle: () => held() === 0,
    counts: () => conversation.counts,
    onFound: () => hope(),
  });
  const wake = createWake({
    open: options.connection.events(
      `/workflows/${workflowId}/events/stream${queryOf({ types: WAKING_EVENTS.join(',') })}`,
    ),
    onWake: (changeId) => hope(changeId),
    onWorkflow: (changeId) => ask(changeId),
    onConnected() {
      if (isOpen) conversation.lineStands();
    },
    onLost: () => conversation.lineBroke(),
  });
  const end =
    deadline &&
    atMoment(deadline.askAtMs, () => {
      // A runner that is ending already keeps the reason for which it ends.
      if (!stop.began) verdict = { ending: 'deadline', reason: 'the time limit of the runner is near' };
      stop.ask('deadline', deadline.killAtMs, deadline.abandonAtMs);
    });
  log.write('info', 'Jobs are launched', { by: launcher.name });
  void actions.begin().then(() => {
    isOpen = true;
    conversation.consider();
  });

  const done = async (): Promise<RunSummary> => {
    const { ending, reason } = await finished;
    for (const part of [rest, wake]) part.close();
    end?.cancel();
    crew.dismiss();
    const parts = { client, patient: patient(TEARDOWN_PATIENCE_MS), registered, conversation, crew, launcher };
    const summary = await conclude(
      { ...parts, allocation, monitor, actions, crate, drain, journal, startedAtMs },
      { ending, reason },
    );
    for (const part of [launcher, stop, conversation, log]) part.close();
    return summary;
  };

  return {
    done: done(),
    stop({ now }) {
      shells.limit(now ? 0 : leadSeconds * 1000);
      if (now) stop.kill('stop');
      else stop.ask('stop');
    },
  };
}
