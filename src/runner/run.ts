import { pause } from '../client/long-timers.ts';
import { type Client, createClient, queryOf } from '../client/client.ts';
import { patiently } from '../client/retry.ts';
import { createActions } from './actions/actions.ts';
import { findAllocation } from './setup/allocation.ts';
import { startGuardian } from './launch/guardian.ts';
import { conclude } from './teardown/teardown.ts';
import { guardAllocationMemory } from './observe/allocation-memory.ts';
import { createCrate } from './end/crate/crate.ts';
import { terminationOf } from '../core/contract/execution.ts';
import { scriptsEndAt } from './claim/deadline.ts';
import { createTimeLimit } from './claim/time-limit.ts';
import { preferSmallHeap } from '../cluster/host/small-heap.ts';
import { createOrphanCheck } from './setup/orphan-check.ts';
import { startMonitor } from './observe/monitor.ts';
import type { Log } from './log.ts';
import type { Runner, RunnerOptions, RunSummary } from './options.ts';
import { openJobs } from './claim/open-jobs.ts';
import { createOutbox } from './report/outbox.ts';
import { type Registered, register } from './setup/register.ts';
import { prepareForOutages } from './outage/prepare.ts';
import { createRetry } from './end/retry/retry.ts';
import { createShells } from './launch/shell.ts';
import { serverKind } from './setup/server-kind.ts';
import { isBatched } from './setup/mode.ts';
import { createSteps } from './step/create.ts';
import { takeable } from './claim/prospect.ts';
import { createWake } from './report/wake.ts';
import { createWork } from './work.ts';

const MINUTE_MS = 60_000;
/**
 * How long setup and teardown wait for a server that is away. A user at a terminal should learn of an outage soon; an
 * allocation was waited for and is not given up so fast, and at its end no other work is delayed.
 */
const SETUP_PATIENCE_MS = { local: MINUTE_MS, slurm: 20 * MINUTE_MS };
const TEARDOWN_PATIENCE_MS = MINUTE_MS;
/** The time for the results of jobs that are killed with their runner. */
const REPORT_SECONDS = 2;

/**
 * Runs jobs of a workflow on this machine until no work is left.
 *
 * Setup: the runner recovers jobs of lost runners of this host, registers, and opens the event stream. Then only events
 * drive it: a job that ended, a job that may have become ready, a signal, the time limit. Teardown: everything is
 * reported, the runner is deregistered, the ledger removed.
 */
export async function startRunner(given: RunnerOptions): Promise<Runner> {
  preferSmallHeap();
  const startedAtMs = Date.now();
  const startedAt = performance.now();
  const { send } = given.connection;
  // Before and after the jobs, requests wait for a server that is away; while jobs run, the conversation does.
  const patient = (patienceMs: number) =>
    createClient(patiently(send, { patienceMs, now: () => performance.now(), wait: pause, onAway: given.onNotice }));
  const waiting = patient(SETUP_PATIENCE_MS[given.computeNodeType]);
  const allocation = await findAllocation(waiting, given);
  const { options } = allocation;
  const registered = await register(waiting, options, startedAtMs);
  const { workflow, nodeId, facts, capacity, ledger, log } = registered;
  const { num_cpus: cpus, memory_gb: memoryGb, num_gpus: gpus } = registered.node;
  options.onRegistered?.({ nodeId, cpus, memoryGb, gpus });
  await allocation.becomes('active', log);
  const { workflowId, runId, execution } = facts;
  const server = await serverKind({
    client: createClient(send),
    patient: waiting,
    workflowId,
    runId,
    nodeId,
    node: registered.node,
    waitForNewJobsSeconds: workflow.compute_node_wait_for_new_jobs_seconds,
    log,
  });
  const { client, reads } = server;
  const { leadSeconds, headroomSeconds } = terminationOf(execution);
  // Slurm ends steps at their own time limit, which lies before the headroom: the runner signals those that are left then.
  const hasOwnLimit = registered.mode === 'slurm' && !isBatched(registered.mode, execution);
  const afterJobs = hasOwnLimit ? Math.max(0, headroomSeconds - leadSeconds) : headroomSeconds;
  const { batch } = options;
  const limit =
    options.endAtMs === undefined
      ? undefined
      : createTimeLimit({
          startedAtMs,
          endAtMs: options.endAtMs,
          headroomSeconds: afterJobs,
          leadSeconds,
          ask: batch && (() => batch.end()),
          log,
          onChanged: (endAtMs) => void tellEnd(waiting, registered, endAtMs),
          onDue: ({ killAtMs, abandonAtMs }) => work.endForDeadline(killAtMs, abandonAtMs),
        });
  const endAtMs = () => limit?.deadline.endAtMs;

  const steps = await createSteps({
    mode: registered.mode,
    client: waiting,
    reads,
    workflow,
    facts,
    endAtMs,
    environment: { ...process.env },
    nodes: registered.nodes,
    launcherProgram: options.launcherProgram ?? [],
    log,
  });
  const monitor = await startMonitor({ reads, workflow, facts, steps, scheduler: options.scheduler, log });
  const outbox = createOutbox();
  const shells = createShells(() => limit && scriptsEndAt(limit.deadline), Date.now);
  const retry = await createRetry({
    client: waiting,
    reads,
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
    reads,
    facts,
    nodeId,
    shells,
    scheduling: options.scheduling,
    ledger,
    log,
    onDone: () => work.on.workMayBeReady(),
  });
  const { journal, drainOf } = prepareForOutages({ options, registered, outbox });
  const work = createWork({
    options: {
      ...options,
      get endAtMs() {
        return endAtMs();
      },
    },
    workflow,
    nodeId,
    facts,
    capacity,
    ledger,
    outbox,
    watch: monitor.watch,
    retry,
    crate,
    log,
    actions,
    drainOf,
    ask: (body, answered, failed) => void client.exchange({ params: { id: workflowId }, body }).then(answered, failed),
    steps,
    limitScripts: (ms) => shells.limit(ms),
    prospect: takeable(client, {
      workflowId,
      nodeId,
      othersMayCome: options.othersMayCome ?? true,
      stays: options.persistent || (workflow.compute_node_wait_for_new_jobs_seconds ?? 0) === 0,
    }),
    hasOpenJobs: options.persistent ? openJobs(client, workflow, options.labels) : undefined,
    onPoll: () => orphanCheck.check(),
    onJobEnded: options.onJobEnded,
    onMeasured: monitor.onMeasured,
    fate: batch && once(() => batch.fate()),
    stuckMs: server.stuckMs,
  });
  const { runningJobs, conversation, stop } = work;
  const orphanCheck = createOrphanCheck({
    client,
    workflowId,
    runId,
    hostname: registered.hostname,
    log,
    isIdle: () => work.held() === 0,
    counts: () => conversation.counts,
    onFound() {
      actions.armedAgain();
      work.on.workMayBeReady();
    },
  });
  const wake = createWake({
    open: options.connection.events(
      `/workflows/${workflowId}/events/stream${queryOf({ types: server.wakingEvents.join(',') })}`,
    ),
    types: server.wakingEvents,
    atMostEveryMs: server.wakeAtMostEveryMs,
    onWake: work.on.workMayBeReady,
    onWorkflow: work.on.workflowChanged,
    onConnected: work.on.connected,
    onLost: work.on.connectionLost,
  });
  limit?.begin();
  const memoryBytes =
    registered.mode === 'direct' && execution.limit_resources !== false ? batch?.memoryBytes : undefined;
  const memoryGuard =
    memoryBytes === undefined
      ? undefined
      : guardAllocationMemory({
          limitBytes: memoryBytes,
          needs: runningJobs.requests,
          observe: steps.observe,
          kill: runningJobs.killForMemory,
          log,
        });
  const guardian = startGuardian({ mark: registered.mark, slurmJobId: process.env['SLURM_JOB_ID'] ?? '' });
  log.write('info', 'Jobs are launched', { by: steps.name });
  void actions.begin().then(() => work.open());

  const done = async (): Promise<RunSummary> => {
    const { ending, reason } = await work.finished;
    for (const part of [work.idlePolicy, wake]) part.close();
    limit?.close();
    memoryGuard?.close();
    runningJobs.stopStarting();
    const parts = { client, patient: patient(TEARDOWN_PATIENCE_MS), registered, conversation, runningJobs, steps };
    const summary = await conclude(
      { ...parts, allocation, monitor, actions, crate, drain: work.drain, journal, startedAt },
      { ending, reason },
    );
    // After a stop, or where a new run has begun, this runner does not know what is still needed.
    if (summary.isTold && ending !== 'stopped' && ending !== 'superseded') await cancelUnneeded(options, log);
    guardian?.dismiss();
    for (const part of [steps, stop, conversation, log]) part.close();
    return summary;
  };

  return {
    done: done(),
    stop({ now }) {
      // After its SIGTERM a batch system kills the runner too: its results are reported before.
      const seconds = Math.min(leadSeconds, Math.max(1, (batch?.killWaitSeconds ?? Infinity) - REPORT_SECONDS));
      shells.limit(now ? 0 : seconds * 1000);
      if (now) stop.kill('stop');
      else stop.ask('stop', Date.now() + seconds * 1000);
    },
  };
}

/** The record of the runner tells its end: a job that needs more time waits for another one. */
async function tellEnd(client: Client, { nodeId, node, log }: Registered, endAtMs: number): Promise<void> {
  node.end_time = new Date(endAtMs).toISOString();
  try {
    await client.updateComputeNode({ params: { id: nodeId }, body: node });
  } catch (error) {
    log.write('warn', 'The end of the runner could not be reported', { reason: (error as Error).message });
  }
}

/** Calls the function at most once. */
function once<T>(call: () => T): () => T {
  let answer: { readonly value: T } | undefined;
  return () => (answer ??= { value: call() }).value;
}

/** The last runner of a workflow leaves no allocation in the queue that would start for nothing. */
async function cancelUnneeded({ scheduling }: RunnerOptions, log: Log): Promise<void> {
  try {
    const canceled = (await scheduling?.cancelUnneeded()) ?? [];
    if (canceled.length > 0)
      log.write('info', 'Queued allocations were canceled', { slurm_job_ids: canceled.join(',') });
  } catch (error) {
    log.write('warn', 'Queued allocations could not be canceled', { reason: (error as Error).message });
  }
}
