import { closeSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../../client/errors.ts';
import { ownIdentity } from '../../../cluster/host/facts.ts';
import type { AgentReply, AgentRequestOf, WorkerEnd, WorkerState } from '../../../core/contract/remote-agent.ts';
import type { Workflow } from '../../../core/contract/workflow.ts';
import { VERSION } from '../../../core/contract/version.ts';
import { lookAtWorker } from '../../../runner/detached/look.ts';
import { takeLock, workerFile, writeState } from '../../../runner/detached/state-file.ts';
import type { RunSummary } from '../../../runner/facts/options.ts';
import { type Context, createContext, type OpenContext } from '../../context.ts';
import { endRun } from '../../end-of-run.ts';
import { runWorkflow } from '../../run-workflow.ts';

type StartRequest = AgentRequestOf<'start'>;
type Reply = (answer: AgentReply) => void;

/** The connection over which the start was requested; as long as it is open, ssh waits. */
const CONNECTION = 3;

/** Another start holds the lock until it knows the server, for which it waits this long. */
const LONGEST_START_MS = 60_000;
const LOCK_POLL_MS = 50;

/**
 * Becomes the runner of this host, unless something forbids it, and reports once that it is registered or why not.
 *
 * One runner of a workflow runs on a host in one output folder: a second start finds the first and starts nothing.
 */
export async function startHere(context: Context, request: StartRequest, reply: Reply): Promise<void> {
  const once = answerOnce(reply);
  let own: OpenContext | undefined;
  try {
    const refused = versionRefusal(request);
    if (refused !== undefined) {
      once(refused);
      return;
    }
    own = contextFor(context, request);
    await runOnce(own, request, once);
  } catch (error) {
    once({ is: 'refused', code: 'START_FAILED', message: (error as Error).message });
    context.output.error((error as Error).message);
    context.exitWith(1);
  } finally {
    await own?.close();
    if (own !== undefined && own.exitCode !== 0) context.exitWith(own.exitCode);
  }
}

/** After the first answer the connection is closed: jobs must not inherit it, and ssh must not wait for them. */
function answerOnce(reply: Reply): Reply {
  let isDone = false;
  return (answer) => {
    if (isDone) return;
    isDone = true;
    reply(answer);
    try {
      closeSync(CONNECTION);
    } catch {
      // It was not open.
    }
  };
}

function versionRefusal({ version, skip_version_check: skips }: StartRequest): AgentReply | undefined {
  if (skips || version === VERSION) return undefined;
  return { is: 'refused', code: 'VERSION', message: `Version mismatch: local=${version}, ${hostname()}=${VERSION}` };
}

async function runOnce(context: OpenContext, request: StartRequest, reply: Reply): Promise<void> {
  const { workflow_id: workflowId, output_dir: outputDir, host } = request;
  const path = workerFile(outputDir, workflowId);
  const startedAt = new Date().toISOString();
  const log = resolve(outputDir, logName(workflowId));
  const state: WorkerState = {
    workflow_id: workflowId,
    host,
    hostname: hostname(),
    pid: process.pid,
    ...identityFields(),
    version: VERSION,
    url: request.service.url,
    started_at: startedAt,
    log,
  };
  let served: Workflow;
  const release = await lockOf(path, state);
  if (release === undefined)
    return reply({
      is: 'refused',
      code: 'START_UNDER_WAY',
      message: 'another start of this workflow is under way here',
    });
  try {
    const found = lookAtWorker(outputDir, workflowId);
    if (found.is === 'running') return reply(found);
    const asked = await servedWorkflow(context, request);
    if ('is' in asked) return reply(asked);
    served = asked;
    writeState(path, state);
  } finally {
    release();
  }
  const ended = (end: Omit<WorkerEnd, 'at'>) =>
    writeState(path, { ...state, ended: { at: new Date().toISOString(), ...end } });
  try {
    const summary = await runWorkflow(context, workflowId, runOptions(request), {
      computeNodeType: 'local',
      workflow: served,
      onRegistered: ({ nodeId, cpus, memoryGb, gpus }) =>
        reply({
          is: 'started',
          pid: process.pid,
          started_at: startedAt,
          log,
          compute_node_id: nodeId,
          num_cpus: cpus,
          memory_gb: memoryGb,
          num_gpus: gpus,
        }),
    });
    await sayEnd(context, request, summary);
    ended({ exit_code: context.exitCode, ...workerEndOf(summary) });
  } catch (error) {
    ended({ exit_code: 1, ending: 'failed', completed: 0, failed: 0, terminated: 0, reason: (error as Error).message });
    throw error;
  }
}

/** The lock of a state file, when starts before this one have released it; undefined if one does not within a minute. */
async function lockOf(path: string, state: WorkerState): Promise<(() => void) | undefined> {
  const untilMs = performance.now() + LONGEST_START_MS;
  for (;;) {
    const release = takeLock(path, state);
    if (release !== undefined || performance.now() > untilMs) return release;
    await pause(LOCK_POLL_MS);
  }
}

/** The same name as the script that started this process gave the file (`host-script.ts`). */
const logName = (workflowId: number) => `torc_worker_wf${workflowId}_${hostname()}.log`;

function identityFields(): Partial<WorkerState> {
  const identity = ownIdentity();
  if (identity === undefined) return {};
  const { hardware_ids: ids, ...rest } = identity;
  return { ...rest, hardware_ids: ids === undefined || ids === null ? undefined : [...ids] };
}

/** The workflow, or why there is none: the server is not reachable from here, or is not the one that is meant. */
async function servedWorkflow(
  context: Context,
  { service, workflow, workflow_id: id }: StartRequest,
): Promise<Workflow | AgentReply> {
  const refused = (code: string, message: string): AgentReply => ({ is: 'refused', code, message });
  const stranger = `${service.url} is another server than the one that was asked: the name means this host itself`;
  try {
    const { client } = await context.service();
    const found = await client.getWorkflow({ params: { id } });
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

/** The context of this command, with the service of the request. */
function contextFor(context: Context, { service, output_dir: outputDir, runner }: StartRequest): OpenContext {
  const { url, user, password, cookie, certificates, insecure } = service;
  let tlsCaCert: string | undefined;
  if (certificates) {
    tlsCaCert = join(outputDir, `torc_worker_${hostname()}_ca.pem`);
    writeFileSync(tlsCaCert, certificates, { mode: 0o600 });
  }
  const hint = (command: string) => `${command.replace(/^torc /, `torc --url ${url} `)}`;
  // Jobs that call torc need the same.
  const variables = {
    TORC_COOKIE_HEADER: cookie,
    TORC_TLS_CA_CERT: tlsCaCert,
    TORC_TLS_INSECURE: insecure ? 'true' : undefined,
  };
  for (const [name, value] of Object.entries(variables)) if (value) process.env[name] = value;
  return createContext({
    ...context,
    hint,
    settings: {
      ...context.settings,
      url,
      user,
      password: password ?? undefined,
      asksPassword: false,
      cookie: cookie ?? undefined,
      tlsCaCert,
      tlsInsecure: insecure,
      logLevel: runner.log_level as Context['settings']['logLevel'],
      standalone: false,
      // Compared already, and exactly.
      skipVersionCheck: true,
    },
  });
}

const runOptions = ({ output_dir: outputDir, runner }: StartRequest) => ({
  outputDir,
  numCpus: runner.num_cpus ?? undefined,
  memoryGb: runner.memory_gb ?? undefined,
  numGpus: runner.num_gpus ?? undefined,
  maxParallelJobs: runner.max_parallel_jobs ?? undefined,
  pollInterval: runner.poll_interval ?? 5,
  label: runner.labels,
});

async function sayEnd(context: OpenContext, request: StartRequest, summary: RunSummary): Promise<void> {
  const { client } = await context.service();
  const workflow = { name: request.workflow.name, id: request.workflow_id };
  const full = await client.getWorkflow({ params: { id: request.workflow_id } }).catch(() => undefined);
  if (full === undefined) return;
  const options = runOptions(request);
  await endRun(context, { client, workflow: { ...full, ...workflow }, summary, options, failsWithJobs: false });
}

const workerEndOf = ({ ending, reason, left, tally }: RunSummary): Omit<WorkerEnd, 'at' | 'exit_code'> => ({
  ending,
  completed: tally.completed,
  failed: tally.failed,
  terminated: tally.terminated,
  reason: [reason, left?.words].filter((part) => part !== undefined).join('; ') || undefined,
});
