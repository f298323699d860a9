import { type Client, createClient, queryOf } from '../client/client.ts';
import { patiently } from '../client/retry.ts';
import type { Workflow } from '../core/contract/workflow.ts';
import { createConversation } from './converse.ts';
import { createCrew } from './crew.ts';
import { deadlineOf } from './deadline.ts';
import { createLauncher } from './launch/choose.ts';
import { preferSmallHeap } from './heap.ts';
import { atMoment } from './moment.ts';
import type { Ending, Runner, RunnerOptions, RunSummary } from './options.ts';
import { createOutbox } from './outbox.ts';
import { type Registered, register } from './register.ts';
import { createRest } from './rest.ts';
import { createStop } from './stop.ts';
import { prepareForOutages } from './prepare-for-outages.ts';
import { createWake, WAKING_EVENTS } from './wake.ts';
import { wantOf } from './want.ts';
import { createWatch } from './watch.ts';

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
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  preferSmallHeap();
  const startedAtMs = Date.now();
  const { send } = options.connection;
  const client = createClient(send);
  // Before and after the jobs a server that is away is waited for; while they run the conversation sees to that.
  const patient = (patienceMs: number) =>
    createClient(patiently(send, { patienceMs, now: Date.now, wait, onAway: options.onNotice }));
  const registered = await register(patient(SETUP_PATIENCE_MS[options.computeNodeType]), options, startedAtMs);
  const { workflow, nodeId, facts, capacity, ledger, log } = registered;
  const { workflowId, runId, execution } = facts;
  const leadSeconds = execution.sigterm_lead_seconds ?? 30;

  let finish: (verdict: Verdict) => void = () => {};
  const finished = new Promise<Verdict>((resolve) => {
    finish = resolve;
  });
  let verdict: Verdict = { ending: 'stopped' };

  const watch = watchOf(workflow);
  const outbox = createOutbox();
  const launcher = createLauncher({ environment: { ...process.env }, onEnd: (endings) => crew.onEndings(endings) });
  const crew = createCrew({
    facts,
    capacity,
    launcher,
    ledger,
    outbox,
    watch,
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
    signal: signalOf(execution.termination_signal),
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
  const conversation = createConversation({
    client,
    workflowId,
    runId,
    nodeId,
    crew,
    outbox,
    log,
    want: (prefetch) => (stop.began ? undefined : wantOf(options, capacity, prefetch, Date.now())),
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
      if (!stop.began) rest.consider(reply);
    },
    onOver(over) {
      verdict = { ending: over.kind, ...('reason' in over ? { reason: over.reason } : {}) };
      if (over.kind !== 'unreachable' && over.kind !== 'behind') stop.ask('cancel');
      else if (options.offline.isEnabled) stop.drain();
      else stop.kill('stop');
    },
    staysWhenComplete: workflow.compute_node_ignore_workflow_completion === true,
  });
  const rest = createRest({
    baseMs: options.pollIntervalSeconds * 1000,
    capMs: options.claimBackoffMaxSeconds * 1000,
    idleMs: (workflow.compute_node_wait_for_new_jobs_seconds ?? 0) * 1000,
    persistent: options.persistent || workflow.compute_node_ignore_workflow_completion === true,
    held: () => crew.running + crew.queued,
    hasChildren: () => crew.running > 0,
    lastProgress: () => conversation.lastProgress,
    onPoll: () => conversation.hope(),
    onLeave: (ending, reason) => finish({ ending, reason }),
  });
  const wake = createWake({
    open: options.connection.events(
      `/workflows/${workflowId}/events/stream${queryOf({ types: WAKING_EVENTS.join(',') })}`,
    ),
    onWake: (changeId) => conversation.hope(changeId),
    onConnected: () => conversation.lineStands(),
    onLost: () => conversation.lineBroke(),
  });
  const deadline = startDeadline(
    options,
    startedAtMs,
    execution.sigkill_headroom_seconds ?? 60,
    leadSeconds,
    (killAtMs) => {
      verdict = { ending: 'deadline', reason: 'the time limit of the runner is near' };
      stop.ask('deadline', killAtMs);
    },
  );
  log.write('info', 'Jobs are launched', { by: launcher.name });
  conversation.consider();

  const conclude = async (): Promise<RunSummary> => {
    const { ending, reason } = await finished;
    for (const part of [rest, wake]) part.close();
    deadline?.cancel();
    crew.dismiss();
    const isTold = await conversation.settle();
    const seconds = (Date.now() - startedAtMs) / 1000;
    if (isTold || ending === 'superseded') drain.forget();
    else drain.keep();
    if (isTold) await deregister(patient(TEARDOWN_PATIENCE_MS), registered, seconds);
    const { tally } = crew;
    log.write('info', 'Job runner finished', {
      workflow_id: workflowId,
      ending,
      reason,
      had_failures: tally.failed > 0,
      had_terminations: tally.terminated > 0,
      ...tally,
    });
    // What was superseded is of no use to anybody; what could not be told is for the next runner of this host.
    ledger.close({ remove: isTold || ending === 'superseded' });
    for (const part of [launcher, watch, stop, conversation, log]) part?.close();
    return {
      ending,
      reason,
      nodeId,
      runId,
      tally,
      counts: conversation.counts,
      seconds,
      isTold,
      journal: journal.written,
      launcher: launcher.name,
      logPath: registered.logPath,
    };
  };

  return {
    done: conclude(),
    stop({ now }) {
      if (now) stop.kill('stop');
      else stop.ask('stop');
    },
  };
}

async function deregister(client: Client, { nodeId, log }: Registered, seconds: number): Promise<void> {
  try {
    await client.updateComputeNode({ params: { id: nodeId }, body: { is_active: false, duration_seconds: seconds } });
  } catch (error) {
    log.write('warn', 'The runner could not be deregistered', { reason: (error as Error).message });
  }
}

function startDeadline(
  { endAtMs }: RunnerOptions,
  startedAtMs: number,
  headroomSeconds: number,
  leadSeconds: number,
  onNear: (killAtMs: number) => void,
) {
  if (endAtMs === undefined) return undefined;
  const { askAtMs, killAtMs } = deadlineOf(startedAtMs, endAtMs, headroomSeconds, leadSeconds);
  return atMoment(askAtMs, () => onNear(killAtMs));
}

/** Jobs are watched when the workflow says so. */
function watchOf({ resource_monitor_config: config }: Workflow) {
  const isOn = config?.jobs?.enabled ?? config?.enabled ?? false;
  return isOn ? createWatch(config?.sample_interval_seconds ?? 10, Date.now) : undefined;
}

function signalOf(name: string | null | undefined): NodeJS.Signals {
  const text = (name ?? 'SIGTERM').toUpperCase();
  return (text.startsWith('SIG') ? text : `SIG${text}`) as NodeJS.Signals;
}
