import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import { ownIdentity } from '../../cluster/host/facts.ts';
import type { HostReply, HostRequestOf, WorkerEnd, WorkerState } from '../../core/remote/remote-host.ts';
import type { HostFault } from '../../core/remote/host-faults.ts';
import { VERSION } from '../../core/contract/version.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { lookAtWorker } from '../../runner/detached/look.ts';
import { takeStateLock, workerFile, writeState } from '../../runner/detached/state-file.ts';
import type { RegisteredAs, RunSummary } from '../../runner/facts/options.ts';

export type StartRequest = HostRequestOf<'start'>;

export interface BecomeTools {
  /** Opens the service that the request names; called once nothing else forbids a start. */
  readonly open: () => Promise<Client>;
  /** Runs the workflow to its end, and returns with what exit code the process ends. */
  readonly run: (
    workflow: Workflow,
    onRegistered: (as: RegisteredAs) => void,
  ) => Promise<{ readonly summary: RunSummary; readonly exitCode: number }>;
  /** Called once, when the runner is registered or when it is clear why there is none. */
  readonly reply: (answer: HostReply) => void;
}

/** Another start holds the lock until it knows the server, for which it waits this long. */
const LONGEST_START_MS = 60_000;
const LOCK_POLL_MS = 50;

/**
 * Becomes the runner of this host, unless something forbids it, and keeps the state file that says so.
 *
 * One runner of a workflow runs on a host in one output folder: a second start finds the first and starts nothing.
 */
export async function becomeWorker(request: StartRequest, { open, run, reply }: BecomeTools): Promise<void> {
  const { workflow_id: workflowId, output_dir: outputDir } = request;
  if (!request.skip_version_check && request.version !== VERSION) return reply(versionRefusal(request.version));
  const path = workerFile(outputDir, workflowId);
  const state = stateOf(request);
  const release = await lockOf(path, state);
  if (release === undefined) return reply(UNDER_WAY);
  let workflow: Workflow;
  try {
    const found = lookAtWorker(outputDir, workflowId);
    if (found.is === 'running') return reply(found);
    const asked = await servedWorkflow(open, request);
    if ('is' in asked) return reply(asked);
    workflow = asked;
    writeState(path, state);
  } finally {
    release();
  }
  const ended = (end: Omit<WorkerEnd, 'at'>) =>
    writeState(path, { ...state, ended: { at: new Date().toISOString(), ...end } });
  try {
    const { summary, exitCode } = await run(workflow, (as) => reply(startedReply(state, as)));
    ended({ exit_code: exitCode, ...endOf(summary) });
  } catch (error) {
    ended({ exit_code: 1, ending: 'failed', completed: 0, failed: 0, terminated: 0, reason: (error as Error).message });
    throw error;
  }
}

const refused = (code: HostFault, message: string): HostReply => ({ is: 'refused', code, message });

const versionRefusal = (version: string): HostReply =>
  refused('VERSION', `Version mismatch: local=${version}, ${hostname()}=${VERSION}`);

const UNDER_WAY = refused('START_UNDER_WAY', 'another start of this workflow is under way here');

function stateOf({ workflow_id: workflowId, output_dir: outputDir, host, service }: StartRequest): WorkerState {
  return {
    workflow_id: workflowId,
    host,
    hostname: hostname(),
    pid: process.pid,
    ...identityFields(),
    version: VERSION,
    url: service.url,
    started_at: new Date().toISOString(),
    log: resolve(outputDir, logName(workflowId)),
  };
}

/** The same name as the script that started this process gave the file (`host-script.ts`). */
const logName = (workflowId: number) => `torc_worker_wf${workflowId}_${hostname()}.log`;

function identityFields(): Partial<WorkerState> {
  const identity = ownIdentity();
  if (identity === undefined) return {};
  const { hardware_ids: ids, ...rest } = identity;
  return { ...rest, hardware_ids: ids === undefined || ids === null ? undefined : [...ids] };
}

/** The lock of a state file, when starts before this one have released it; undefined if one does not within a minute. */
async function lockOf(path: string, state: WorkerState): Promise<(() => void) | undefined> {
  const untilMs = performance.now() + LONGEST_START_MS;
  for (;;) {
    const release = takeStateLock(path, state);
    if (release !== undefined || performance.now() > untilMs) return release;
    await pause(LOCK_POLL_MS);
  }
}

/** The workflow, or why there is none: the server is not reachable from here, or is not the one that is meant. */
async function servedWorkflow(
  open: BecomeTools['open'],
  { service, workflow, workflow_id: id }: StartRequest,
): Promise<Workflow | HostReply> {
  const stranger = `${service.url} is another server than the one that was asked: the name means this host itself`;
  try {
    const found = await (await open()).getWorkflow({ params: { id } });
    const isSame = found.name === workflow.name && (found.timestamp ?? null) === (workflow.timestamp ?? null);
    return isSame ? found : refused('SERVER_OTHER', `${stranger} (its workflow ${id} is "${found.name}")`);
  } catch (error) {
    if (!(error instanceof ServiceError)) return refused('SERVER_UNREACHABLE', (error as Error).message);
    const isMissing = error.status === 404;
    return isMissing
      ? refused('SERVER_OTHER', `${stranger} (it has no workflow ${id})`)
      : refused('SERVER_REFUSED', error.message);
  }
}

const startedReply = ({ pid, started_at, log }: WorkerState, as: RegisteredAs): HostReply => ({
  is: 'started',
  pid,
  started_at,
  log,
  compute_node_id: as.nodeId,
  num_cpus: as.cpus,
  memory_gb: as.memoryGb,
  num_gpus: as.gpus,
});

const endOf = ({ ending, reason, left, tally }: RunSummary): Omit<WorkerEnd, 'at' | 'exit_code'> => ({
  ending,
  completed: tally.completed,
  failed: tally.failed,
  terminated: tally.terminated,
  reason: [reason, left?.words].filter((part) => part !== undefined).join('; ') || undefined,
});
