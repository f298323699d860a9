import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { hostFacts, ownIdentity } from '../cluster/host/facts.ts';
import { createClient, queryOf } from '../client/client.ts';
import type { ExchangeReply, Want } from '../core/contract/exchange.ts';
import type { JobStatusCounts } from '../core/contract/job.ts';
import type { LogLevel } from '../core/contract/log-line.ts';
import type { Workflow } from '../core/contract/workflow.ts';
import { type Capacity, createCapacity, createSlots, devicesOf } from './capacity.ts';
import { createConversation, type Over } from './converse.ts';
import { createCrew, type Tally } from './crew.ts';
import { claimLimit, deadlineOf } from './deadline.ts';
import { createLauncher } from './launch/choose.ts';
import { openLedger } from './ledger.ts';
import { openLog } from './log.ts';
import { MARK_VARIABLE, recoverLostRunners } from './lost.ts';
import { createOutbox } from './outbox.ts';
import { nextPoll } from './pace.ts';
import type { Connection } from './send.ts';
import { type RunFacts, STDIO_FOLDER } from './step.ts';
import { createStop } from './stop.ts';
import { createWake, WAKING_EVENTS } from './wake.ts';
import { createWatch } from './watch.ts';

export interface RunnerOptions {
  readonly workflowId: number;
  readonly connection: Connection;
  /** The service's URL, as jobs are told it. */
  readonly apiUrl: string;
  readonly outputDir: string;
  /** Runs so many jobs at once and ignores what they need. */
  readonly maxParallelJobs?: number | undefined;
  readonly numCpus?: number | undefined;
  readonly memoryGb?: number | undefined;
  readonly numGpus?: number | undefined;
  readonly labels: readonly string[];
  /** Unix milliseconds. */
  readonly endAtMs?: number | undefined;
  readonly pollIntervalSeconds: number;
  readonly claimBackoffMaxSeconds: number;
  /** Stays while work is left that its labels cover. */
  readonly persistent: boolean;
  readonly strictSchedulerMatch?: boolean | undefined;
  /** Variables of every job besides those of the contract. */
  readonly variables: readonly (readonly [string, string])[];
  readonly logLevel: LogLevel;
  /** What it is registered as. */
  readonly computeNodeType: 'local' | 'slurm';
  readonly scheduler?: Readonly<Record<string, string | number>> | undefined;
  readonly schedulerConfigId?: number | undefined;
  readonly onProgress?: (progress: Progress) => void;
  readonly onNotice: (line: string) => void;
}

/** How far a run is, for whoever watches it. */
export interface Progress {
  readonly counts: JobStatusCounts;
  readonly runningHere: number;
  readonly endsPerSecond: number;
}

export type Ending = Over['kind'] | 'idle' | 'stuck' | 'stopped' | 'deadline' | 'unable';

export interface RunSummary {
  readonly ending: Ending;
  /** Why it ended, where the kind does not say it all. */
  readonly reason: string | undefined;
  readonly nodeId: number;
  readonly runId: number;
  readonly tally: Tally;
  readonly counts: JobStatusCounts | undefined;
  readonly seconds: number;
  /** Was everything told to the server? If not, the ledger holds it. */
  readonly isTold: boolean;
  readonly launcher: string;
  readonly logPath: string;
}

export interface Runner {
  readonly done: Promise<RunSummary>;
  /** Asks the jobs to end; with `now` kills them. */
  stop(options: { readonly now: boolean }): void;
}

const GIBIBYTE = 2 ** 30;
const MINUTE_MS = 60_000;

/**
 * Runs jobs of a workflow on this machine until there is nothing left to do.
 *
 * Setup: what a runner of this host left behind is taken back, the runner is registered, the event stream opened. Then
 * events alone drive it: a job that ended, a job that may have become ready, a signal, the end of its time. Teardown:
 * everything is told, the runner is deregistered, the ledger removed.
 */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const { workflowId, connection, outputDir, onNotice } = options;
  const client = createClient(connection.send);
  const startedAtMs = Date.now();
  const workflow = await client.getWorkflow({ params: { id: workflowId } });
  const runId = workflow.run_id ?? 0;
  const host = hostFacts();
  const execution = workflow.execution_config ?? {};

  mkdirSync(`${outputDir}/${STDIO_FOLDER}`, { recursive: true });
  const logPath = `${outputDir}/job_runner_${host.hostname}_wf${workflowId}_r${runId}.log`;
  const log = openLog(logPath, options.logLevel, Date.now, onNotice);
  await recoverLostRunners({ client, workflowId, runId, hostname: host.hostname, log });

  const devices =
    devicesOf(process.env) ?? Array.from({ length: options.numGpus ?? host.gpus }, (_, index) => String(index));
  const offered = {
    cpus: options.numCpus ?? host.cpus,
    memoryBytes: options.memoryGb === undefined ? host.memoryBytes : Math.floor(options.memoryGb * GIBIBYTE),
  };
  const capacity =
    options.maxParallelJobs === undefined
      ? createCapacity(offered, devices)
      : createSlots(options.maxParallelJobs, devices);

  const mark = randomUUID();
  const identity = ownIdentity();
  const ledgerPath = resolve(outputDir, 'job_runner_ledger', `wf${workflowId}_r${runId}_${mark}.ledger`);
  const node = await client.createComputeNode({
    body: {
      workflow_id: workflowId,
      hostname: host.hostname,
      pid: process.pid,
      start_time: new Date(startedAtMs).toISOString(),
      ...(options.endAtMs === undefined ? {} : { end_time: new Date(options.endAtMs).toISOString() }),
      is_active: true,
      num_cpus: offered.cpus,
      memory_gb: offered.memoryBytes / GIBIBYTE,
      num_gpus: devices.length,
      num_nodes: 1,
      compute_node_type: options.computeNodeType,
      ...(options.scheduler === undefined ? {} : { scheduler: options.scheduler }),
      ...(options.schedulerConfigId === undefined ? {} : { scheduler_config_id: options.schedulerConfigId }),
      labels: [...options.labels],
      ...(identity === undefined ? {} : { process: { ...withoutPid(identity), mark, ledger: ledgerPath } }),
    },
  });
  const nodeId = node.id as number;
  const ledger = openLedger(ledgerPath, {
    workflow_id: workflowId,
    run_id: runId,
    compute_node_id: nodeId,
    process: identity ?? { boot_id: '', pid_namespace: '', pid: process.pid, start_ticks: 0 },
  });

  const facts: RunFacts = {
    workflowId,
    runId,
    apiUrl: options.apiUrl,
    outputDir,
    submissionDirectory: workflow.submission_directory ?? undefined,
    execution,
    variables: [...options.variables, [MARK_VARIABLE, mark]],
  };
  const watch = watchOf(workflow);
  const outbox = createOutbox();

  let finish: (ending: Ending, reason?: string) => void = () => {};
  const finished = new Promise<{ ending: Ending; reason: string | undefined }>((resolvePromise) => {
    finish = (ending, reason) => resolvePromise({ ending, reason });
  });

  const launcher = createLauncher({ environment: process.env, onEnd: (endings) => crew.onEndings(endings) });
  const crew = createCrew({
    facts,
    capacity,
    launcher,
    ledger,
    outbox,
    watch,
    log,
    onEnded(count) {
      conversation.ended(count);
      stop.ended();
    },
    onUnable(reason) {
      log.write('error', 'Jobs cannot be started here', { reason });
      verdict = { ending: 'unable', reason };
      stop.ask('stop');
    },
  });

  // Why the jobs are ended, when they are: told as the end of the run once nothing runs any more.
  let verdict: { ending: Ending; reason?: string } = { ending: 'stopped' };
  const stop = createStop({
    crew,
    log,
    workflowId,
    signal: signalOf(execution.termination_signal),
    leadSeconds: execution.sigterm_lead_seconds ?? 30,
    onEmpty: () => finish(verdict.ending, verdict.reason),
  });

  const slots = () =>
    Math.max(
      1,
      crew.running,
      capacity.free().cpus === Infinity ? 1 : Math.min(capacity.total.cpus, crew.running + capacity.free().cpus),
    );
  const want = (prefetch: number): Want | undefined => {
    if (stop.began) return undefined;
    return wantOf({ options, capacity, prefetch, nowMs: Date.now() });
  };

  const conversation = createConversation({
    client,
    workflowId,
    runId,
    nodeId,
    crew,
    outbox,
    log,
    want,
    slots,
    patienceMs: (workflow.compute_node_wait_for_healthy_database_minutes ?? 20) * MINUTE_MS,
    onReply: (reply) => {
      options.onProgress?.({
        counts: reply.jobs_by_status,
        runningHere: crew.running,
        endsPerSecond: conversation.rate,
      });
      watchIdle(reply);
    },
    onOver(over) {
      if (over.kind === 'complete' && workflow.compute_node_ignore_workflow_completion === true && !stop.began) return;
      verdict = { ending: over.kind, ...('reason' in over ? { reason: over.reason } : {}) };
      if (over.kind === 'unreachable') stop.drain();
      else stop.ask('cancel');
    },
  });

  // What wakes it besides its own children: the server's events, and a timer for when there are none.
  const wake = createWake({
    open: connection.events(`/workflows/${workflowId}/events/stream${queryOf({ types: WAKING_EVENTS.join(',') })}`),
    onWake: () => conversation.hope(),
  });
  let pollMs = options.pollIntervalSeconds * 1000;
  let pollTimer: NodeJS.Timeout | undefined;
  const poll = () => {
    pollMs = nextPoll({
      baseMs: options.pollIntervalSeconds * 1000,
      capMs: options.claimBackoffMaxSeconds * 1000,
      lastMs: pollMs,
      madeProgress: performance.now() - conversation.lastProgress < pollMs,
      hasChildren: crew.running > 0,
    });
    pollTimer = setTimeout(() => {
      conversation.hope();
      poll();
    }, pollMs);
  };

  const idleMs = (workflow.compute_node_wait_for_new_jobs_seconds ?? 0) * 1000;
  let idleTimer: NodeJS.Timeout | undefined;
  const watchIdle = (reply: ExchangeReply) => {
    clearTimeout(idleTimer);
    if (crew.running + crew.queued > 0 || stop.began || reply.is_complete) return;
    if (options.persistent) return;
    const { ready, pending, running, blocked, uninitialized, pending_failed: undecided } = reply.jobs_by_status;
    if (ready + pending + running === 0) {
      finish(
        'stuck',
        `${blocked + uninitialized + undecided} jobs are left and none of them can start: ${blocked} blocked, ${undecided} waiting for a decision, ${uninitialized} uninitialized`,
      );
      return;
    }
    if (idleMs === 0) return;
    const left = Math.max(0, idleMs - (performance.now() - conversation.lastProgress));
    idleTimer = setTimeout(() => {
      if (crew.running + crew.queued === 0)
        finish(
          'idle',
          `no job for ${idleMs / 1000} s that this runner could take: ${ready} ready, ${running} running elsewhere`,
        );
    }, left);
  };

  const deadline =
    options.endAtMs === undefined
      ? undefined
      : deadlineOf(
          startedAtMs,
          options.endAtMs,
          execution.sigkill_headroom_seconds ?? 60,
          execution.sigterm_lead_seconds ?? 30,
        );
  const deadlineTimer =
    deadline === undefined
      ? undefined
      : atMoment(deadline.askAtMs, () => {
          verdict = { ending: 'deadline', reason: 'the time limit of the runner is near' };
          stop.ask('deadline', deadline.killAtMs);
        });

  log.write('info', 'Job runner starting', {
    workflow_id: workflowId,
    run_id: runId,
    compute_node_id: nodeId,
    hostname: host.hostname,
    launcher: launcher.name,
    num_cpus: offered.cpus,
    memory_gb: (offered.memoryBytes / GIBIBYTE).toFixed(1),
    num_gpus: devices.length,
    max_parallel_jobs: options.maxParallelJobs,
    labels: options.labels.length === 0 ? undefined : options.labels.join(','),
    execution_mode: 'Direct',
    limit_resources: execution.limit_resources ?? true,
  });
  conversation.consider();
  poll();

  const conclude = async (): Promise<RunSummary> => {
    const { ending, reason } = await finished;
    for (const timer of [pollTimer, idleTimer]) clearTimeout(timer);
    deadlineTimer?.cancel();
    wake.close();
    crew.dismiss();
    const isTold = await conversation.settle();
    const seconds = (Date.now() - startedAtMs) / 1000;
    if (isTold && ending !== 'superseded') {
      await client
        .updateComputeNode({ params: { id: nodeId }, body: { is_active: false, duration_seconds: seconds } })
        .catch((error: unknown) => {
          log.write('warn', 'The runner could not be deregistered', { reason: (error as Error).message });
        });
    }
    const { tally } = crew;
    log.write('info', 'Job runner finished', {
      workflow_id: workflowId,
      ending,
      reason,
      had_failures: tally.failed > 0,
      had_terminations: tally.terminated > 0,
      completed: tally.completed,
      failed: tally.failed,
      terminated: tally.terminated,
    });
    ledger.close({ remove: isTold || ending === 'superseded' });
    launcher.close();
    watch?.close();
    stop.close();
    conversation.close();
    log.close();
    return {
      ending,
      reason,
      nodeId,
      runId,
      tally,
      counts: conversation.counts,
      seconds,
      isTold,
      launcher: launcher.name,
      logPath,
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

function withoutPid<T extends { pid: number }>({ pid: _, ...rest }: T): Omit<T, 'pid'> {
  return rest;
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

interface WantFacts {
  readonly options: RunnerOptions;
  readonly capacity: Capacity;
  readonly prefetch: number;
  readonly nowMs: number;
}

/** What the runner has room for now, in the words of a claim. */
function wantOf({ options, capacity, prefetch, nowMs }: WantFacts): Want | undefined {
  const free = capacity.free();
  const limit = Math.max(0, free.cpus);
  if (limit + prefetch === 0) return undefined;
  const labels = [...options.labels];
  if (options.maxParallelJobs !== undefined) return { limit, prefetch, labels };
  const time = options.endAtMs === undefined ? {} : { time_limit: claimLimit(nowMs, options.endAtMs) };
  const scheduler = options.schedulerConfigId === undefined ? {} : { scheduler_config_id: options.schedulerConfigId };
  return {
    limit,
    prefetch,
    offer: {
      num_cpus: free.cpus,
      memory_gb: free.memoryBytes / GIBIBYTE,
      num_gpus: free.gpus,
      num_nodes: 1,
      labels,
      ...time,
      ...scheduler,
    },
    capacity: {
      num_cpus: capacity.total.cpus,
      memory_gb: capacity.total.memoryBytes / GIBIBYTE,
      num_gpus: capacity.total.gpus,
    },
    strict_scheduler_match: options.strictSchedulerMatch,
  };
}

/** The longest that a timer of the runtime can wait; it would fire at once beyond. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls at a moment, however far away. */
function atMoment(atMs: number, call: () => void): { cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    const left = atMs - Date.now();
    timer = left > LONGEST_TIMER_MS ? setTimeout(wait, LONGEST_TIMER_MS) : setTimeout(call, Math.max(0, left));
  };
  wait();
  return { cancel: () => clearTimeout(timer) };
}
