import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { STDIO_FOLDER } from '../../core/contract/files/job.ts';
import { makeFolder } from '../../cluster/make-folder.ts';
import { timeOfDay } from '../../client/steady-clock.ts';
import type { Client } from '../../client/client.ts';
import { type HostFacts, hostFacts, ownIdentity } from '../../cluster/host/facts.ts';
import type { AllocationParts } from '../../cluster/batch/batch-system.ts';
import { type Allocation, jobIdOf, withinAllocation } from '../../cluster/batch/allocation.ts';
import type { RunnerFacts } from '../../core/attempt/belongs-to.ts';
import { marginsOf } from '../../core/allocation/usable-time.ts';
import { uselessSettings } from '../../core/attempt/execution.ts';
import type { NewComputeNode, ComputeNode, RunnerProcess } from '../../core/contract/node.ts';
import type { ExecutionConfig, Workflow } from '../../core/contract/workflow.ts';
import { type Capacity, type CapacityNode, createCapacity, createSlots } from '../claim/capacity.ts';
import { devicesOf } from './devices.ts';
import { ledgerPathOf, runnerLogOf, slurmTaskOf } from '../../core/contract/files/runner.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import { openLedger } from '../ledger/ledger.ts';
import { createReportOutbox } from '../ledger/outbox.ts';
import { type Log, openRunnerLog } from '../facts/log.ts';
import { recoverInBatch } from '../recover/dead-allocations.ts';
import { recoverLostRunners } from '../recover/lost-runners.ts';
import type { RunnerOptions } from '../facts/options.ts';
import { type StartMode, resolveMode } from '../../core/allocation/execution-mode.ts';
import { offeredNodes } from './offered-nodes.ts';
import { markVariables } from '../facts/marks.ts';
import { joinShare, type Sharing } from '../share/join-share.ts';
import { slurmTermination } from '../../core/attempt/srun-termination.ts';
import { noTimeReason } from '../claim/claim-time.ts';

/** A registered runner, with its files open. */
export interface Registered {
  /** Its execution mode is the one of this runner. */
  readonly workflow: Workflow;
  readonly mode: StartMode;
  readonly nodeId: number;
  /** The record of the runner. */
  readonly node: ComputeNode;
  readonly hostname: string;
  /** What its jobs have in their environment, and the allocation in which they run. */
  readonly own: RunnerFacts;
  readonly capacity: Capacity;
  /** Its part of the machine; undefined if it has all of it. */
  readonly share: Sharing['share'] | undefined;
  /** The nodes on which it starts jobs. */
  readonly nodes: readonly CapacityNode[];
  readonly run: CurrentRun;
  readonly logPath: string;
}

const GIBIBYTE = 2 ** 30;

/** Reads the workflow and the machine, recovers jobs of lost runners of this host, and registers the runner. */
export async function register(client: Client, options: RunnerOptions, startedAtMs: number): Promise<Registered> {
  const { workflowId, outputDir, allocation } = options;
  const stored = options.workflow ?? (await client.getWorkflow({ params: { id: workflowId } }));
  const runId = stored.run_id ?? 0;
  const { mode, warning } = resolveMode(stored.execution_config?.mode, workflowId, allocation);
  const host = withinAllocation(hostFacts(), allocation);

  makeFolder(`${outputDir}/${STDIO_FOLDER}`);
  const logPath = runnerLogOf(outputDir, {
    workflowId,
    runId,
    hostname: host.hostname,
    scheduler: options.scheduler,
  });
  const log = openRunnerLog(logPath, options.logLevel, Date.now, options.onNotice);
  if (warning !== undefined) log.write('warn', warning);
  const startsFar = mode === 'direct' && partsWithin(options)?.wordsOn !== undefined;
  if (mode === 'direct' && !startsFar) warnOfIdleNodes(allocation, log);
  const settings = withoutUseless(stored.execution_config ?? {}, log);
  const asked = mode === 'slurm' ? slurmTermination(settings) : {};
  const execution = { ...settings, ...asked, mode };
  const workflow = { ...stored, execution_config: execution };
  const lost = { client, workflowId, runId, hostname: host.hostname, allocation, batch: options.batch, log };
  await recoverLostRunners(lost);
  await recoverInBatch(lost);

  const mark = randomUUID();
  const devices = devicesFor(options, host);
  const offered = offeredBy(options, host);
  const own = { name: host.hostname, ...offered, devices };
  const nodes = await offeredNodes({ mode, startsFar, batch: options.batch, allocation, own, log });
  const ownCapacity =
    options.maxParallelJobs === undefined ? createCapacity(nodes) : createSlots(options.maxParallelJobs, devices);
  const identity = ownIdentity();
  const environment = process.env;
  const sharing = joinShare({
    options,
    environment,
    workflow,
    identity,
    mark,
    capacity: ownCapacity,
    devices,
    host,
    log,
  });
  // The server compares the end of this runner with its own clock.
  const aheadSeconds = options.endAtMs === undefined ? undefined : await clockAheadSeconds(client, log);
  const ledgerPath = ledgerPathOf(resolve(outputDir), { workflowId, runId, mark });
  const body = recordOf({
    options,
    hostname: host.hostname,
    startedAtMs,
    offered,
    gpus: devices.length,
    nodes: nodes.length,
    process: identity && { ...identity, mark, ledger: ledgerPath, clock_ahead_seconds: aheadSeconds },
  });
  const { id: nodeId } = await client.createComputeNode({ body });
  const node: ComputeNode = { ...body, id: nodeId };
  if (options.ending?.isShared === false) await warnOfAnother(client, node, log);
  const ledger = openLedger(
    ledgerPath,
    { workflow_id: workflowId, run_id: runId, compute_node_id: nodeId, process: identity },
    (words) => log.write('warn', words),
  );

  logStart(log, node, { runId, host, options, workflow });
  warnOfNoTime(workflow, options, startedAtMs, log);

  const run: CurrentRun = {
    workflowId,
    runId,
    apiUrl: options.apiUrl,
    outputDir,
    submissionDirectory: workflow.submission_directory ?? undefined,
    execution,
    variables: [...options.variables, ...markVariables(mark, process.env)],
    shareTextOf: sharing?.textOf,
    ledger,
    outbox: createReportOutbox(),
    log,
  };
  return {
    workflow,
    mode,
    nodeId,
    node,
    hostname: host.hostname,
    own: { mark, allocationId: jobIdOf(allocation), jobVariable: options.batch?.jobVariable },
    run,
    capacity: sharing?.capacity ?? ownCapacity,
    share: sharing?.share,
    nodes,
    logPath,
  };
}

function warnOfNoTime(workflow: Workflow, options: RunnerOptions, startedAtMs: number, log: Log): void {
  const leastSeconds = workflow.compute_node_min_time_for_new_jobs_seconds ?? 300;
  const rules = { leastSeconds, margins: marginsOf(workflow.execution_config), startedAtMs };
  const reason = noTimeReason(options, rules, startedAtMs);
  if (reason !== undefined) log.write('warn', 'No job will be claimed', { reason });
}

interface RecordParts {
  readonly options: RunnerOptions;
  readonly hostname: string;
  readonly startedAtMs: number;
  readonly offered: { readonly cpus: number; readonly memoryBytes: number };
  readonly gpus: number;
  readonly nodes: number;
  readonly process:
    | (NonNullable<ReturnType<typeof ownIdentity>> & Pick<RunnerProcess, 'mark' | 'ledger' | 'clock_ahead_seconds'>)
    | undefined;
}

/** The runner as the server stores it. */
function recordOf({ options, hostname, startedAtMs, offered, gpus, nodes, process: own }: RecordParts): NewComputeNode {
  return {
    workflow_id: options.workflowId,
    hostname,
    pid: process.pid,
    start_time: timeOfDay(startedAtMs).toISOString(),
    end_time: options.endAtMs === undefined ? undefined : timeOfDay(options.endAtMs).toISOString(),
    is_active: true,
    num_cpus: offered.cpus,
    memory_gb: offered.memoryBytes / GIBIBYTE,
    num_gpus: gpus,
    num_nodes: nodes,
    compute_node_type: options.computeNodeType,
    scheduler: options.scheduler,
    scheduler_config_id: options.schedulerConfigId,
    labels: [...options.labels],
    process: own && {
      boot_id: own.boot_id,
      pid_namespace: own.pid_namespace,
      start_ticks: own.start_ticks,
      mark: own.mark,
      ledger: own.ledger,
      machine_id: own.machine_id,
      hardware_ids: own.hardware_ids === undefined ? undefined : [...(own.hardware_ids ?? [])],
      slurm_job_id: jobIdOf(options.allocation),
      max_parallel_jobs: options.maxParallelJobs,
      strict_scheduler_match: options.strictSchedulerMatch,
      clock_ahead_seconds: own.clock_ahead_seconds,
    },
  };
}

function logStart(
  log: Log,
  node: ComputeNode,
  { runId, host, options, workflow }: { runId: number; host: HostFacts; options: RunnerOptions; workflow: Workflow },
): void {
  log.write('info', 'Job runner starting', {
    workflow_id: node.workflow_id,
    run_id: runId,
    compute_node_id: node.id,
    hostname: node.hostname,
    num_cpus: node.num_cpus,
    memory_gb: node.memory_gb.toFixed(1),
    num_gpus: node.num_gpus,
    limited_by: host.limitedBy.length === 0 ? undefined : host.limitedBy.join(' and '),
    max_parallel_jobs: options.maxParallelJobs,
    labels: options.labels.length === 0 ? undefined : options.labels.join(','),
    num_nodes: (node.num_nodes ?? 1) > 1 ? node.num_nodes : undefined,
    execution_mode: workflow.execution_config?.mode === 'slurm' ? 'Slurm' : 'Direct',
    limit_resources: workflow.execution_config?.limit_resources ?? true,
  });
}

/** The settings without invalid values; the defaults replace them. */
function withoutUseless(config: ExecutionConfig, log: Log): ExecutionConfig {
  const useless = uselessSettings(config);
  for (const { message } of useless) log.write('warn', `execution_config: ${message}`);
  return { ...config, ...Object.fromEntries(useless.map(({ setting }) => [setting, undefined])) };
}

/** The devices that the environment names, or as many as were requested or found, by number. */
function devicesFor({ numGpus, allocation }: RunnerOptions, { gpus }: HostFacts): readonly string[] {
  return devicesOf(process.env, allocation) ?? Array.from({ length: numGpus ?? gpus }, (_, index) => String(index));
}

function offeredBy({ numCpus, memoryGb }: RunnerOptions, { cpus, memoryBytes }: HostFacts) {
  return { cpus: numCpus ?? cpus, memoryBytes: memoryGb === undefined ? memoryBytes : Math.floor(memoryGb * GIBIBYTE) };
}

/** A runner for itself offers all of its node, and two of them start twice as many jobs as there is room for. */
async function warnOfAnother(client: Client, node: ComputeNode, log: Log): Promise<void> {
  const query = { workflow_id: node.workflow_id, hostname: node.hostname, is_active: true };
  const { items } = await client.listComputeNodes({ query });
  const own = slurmTaskOf(node.scheduler)?.jobId;
  const another = items.find(({ id, hostname, scheduler }) => {
    return id !== node.id && hostname === node.hostname && own !== undefined && slurmTaskOf(scheduler)?.jobId === own;
  });
  if (another === undefined) return;
  log.write(
    'warn',
    'Another runner is on this node of the allocation, and both offer all of it: --is-subtask shares it',
    {
      compute_node_id: another.id,
    },
  );
}

/** The nodes of the allocation of a runner, if no steps of a batch system start jobs there. */
export const partsWithin = ({
  batch,
  allocation,
  computeNodeType,
}: Pick<RunnerOptions, 'batch' | 'allocation' | 'computeNodeType'>): AllocationParts | undefined =>
  // A person's own run inside a job stays on its node.
  allocation === undefined || computeNodeType !== 'slurm' ? undefined : batch?.partsOf?.(allocation);

/** What srun starts has a step; a batch script has none, and its runner starts processes on the first node only. */
function warnOfIdleNodes(allocation: Allocation | undefined, log: Log): void {
  if (allocation === undefined || allocation.nodes === 1 || allocation.isInStep) return;
  const { nodes } = allocation;
  log.write('warn', `The allocation has ${nodes} nodes, and this runner uses one: jobs start on its own node`, {
    to_use_all: 'srun --overlap --ntasks-per-node=1 torc-slurm-job-runner … --is-subtask, or start_one_worker_per_node',
  });
}

/** Clocks that are this far apart are wrong: a person who compares logs of two machines has to know it. */
const APART_SECONDS = 30;

/**
 * How many seconds the clock of this machine is ahead of that of the server; undefined where the server does not say what time it
 * is, as Torc's own. Right to the time that the reply takes.
 */
export async function clockAheadSeconds(client: Pick<Client, 'ping'>, log: Log): Promise<number | undefined> {
  const { now_ms: serverMs } = await client.ping();
  const nowMs = Date.now();
  if (serverMs === undefined) return undefined;
  const seconds = (nowMs - serverMs) / 1000;
  if (Math.abs(seconds) >= APART_SECONDS) {
    const where = `${Math.round(Math.abs(seconds))} s ${seconds > 0 ? 'ahead of' : 'behind'} that of the server`;
    log.write('warn', `The clock of this machine is ${where}; times of jobs that run here are by this clock`);
  }
  return seconds;
}
