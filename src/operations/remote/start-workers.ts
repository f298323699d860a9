import { hostname } from 'node:os';
import type { Client } from '../../client/client.ts';
import type { HostRequestOf } from '../../core/remote/remote-host.ts';
import { VERSION } from '../../core/contract/version.ts';
import type { Worker } from '../../core/remote/worker-line.ts';
import { type Answer, askHost } from './ask-host.ts';
import { eachAtOnce } from './each-host.ts';
import { isLoopback, type RemoteService } from './service.ts';
import type { HostsOptions } from './worker-states.ts';

/** What became of the start on one host. */
export interface Started {
  readonly worker: Worker;
  readonly is: 'started' | 'running' | 'failed';
  /** Why it failed, for programs: of the host (`UNREACHABLE`, `NO_TORC`) or of its program (`SERVER_UNREACHABLE`). */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly pid?: number | undefined;
  readonly startedAt?: string | undefined;
  readonly log?: string | undefined;
  readonly nodeId?: number | undefined;
  readonly cpus?: number | undefined;
  readonly memoryGb?: number | undefined;
  readonly gpus?: number | undefined;
  /** How far the clock of the host is ahead of ours, if that is certain and more than people would accept. */
  readonly clockAheadSeconds?: number | undefined;
}

export interface StartOptions extends HostsOptions {
  readonly client: Client;
  readonly service: RemoteService;
  /** Options of the command; those of a line precede them. */
  readonly runner: Omit<HostRequestOf<'start'>['runner'], 'labels'>;
  /** In octal. */
  readonly umask: string;
  readonly skipVersionCheck: boolean;
  readonly onDone: (started: Started) => void;
}

/** A runner waits a minute for a server that does not answer yet. */
const START_MS = 120_000;
/** Clocks that differ by less do no harm: times of results come from one clock each. */
const CLOCK_MS = 2_000;

/**
 * Starts a runner of the workflow on each host, some at once, and returns what became of each, in the order of the hosts.
 *
 * One host that fails does not stop the others. A host on which a runner of the workflow runs already is left as it is.
 */
export async function startWorkers(workers: readonly Worker[], options: StartOptions): Promise<Started[]> {
  const { client, workflowId, atOnce, onDone } = options;
  const { name, timestamp } = await client.getWorkflow({ params: { id: workflowId } });
  const start = async (worker: Worker): Promise<Started> => {
    const request: HostRequestOf<'start'> = {
      task: 'start',
      version: VERSION,
      workflow_id: workflowId,
      output_dir: worker.options.outputDir ?? options.outputDir,
      host: worker.host,
      service: options.service,
      workflow: { name, timestamp },
      runner: runnerOf(worker, options),
      umask: options.umask,
      skip_version_check: options.skipVersionCheck,
    };
    return startedOf(worker, await askHost(worker, request, { ...options, atMostMs: START_MS }), options);
  };
  return eachAtOnce(workers, atOnce, start, (_, started) => onDone(started));
}

function runnerOf({ options }: Worker, { runner }: StartOptions): HostRequestOf<'start'>['runner'] {
  const { numCpus, memoryGb, numGpus, maxParallelJobs, labels } = options;
  return {
    ...runner,
    num_cpus: numCpus ?? runner.num_cpus,
    memory_gb: memoryGb ?? runner.memory_gb,
    num_gpus: numGpus ?? runner.num_gpus,
    max_parallel_jobs: maxParallelJobs ?? runner.max_parallel_jobs,
    labels: [...(labels ?? [])],
  };
}

function startedOf(worker: Worker, answer: Answer, { service }: StartOptions): Started {
  if (answer.kind === 'silence') return { worker, is: 'failed', code: answer.code, message: answer.message };
  const { reply, version, clockOffMs, roundTripMs } = answer;
  const isCertain = Math.abs(clockOffMs) - roundTripMs / 2 > CLOCK_MS;
  const clock = isCertain ? { clockAheadSeconds: clockOffMs / 1000 } : {};
  if (reply.is === 'started') {
    const { pid, started_at: startedAt, log, compute_node_id: nodeId } = reply;
    const offered = { cpus: reply.num_cpus, memoryGb: reply.memory_gb, gpus: reply.num_gpus };
    return { worker, is: 'started', pid, startedAt, log, nodeId, ...offered, ...clock };
  }
  if (reply.is === 'running')
    return { worker, is: 'running', pid: reply.pid, startedAt: reply.started_at, log: reply.log, ...clock };
  const { code, message } =
    reply.is === 'refused' ? reply : { code: 'NO_ANSWER', message: `torc ${version} answered "${reply.is}"` };
  return { worker, is: 'failed', code, message: withAdvice(code, message, service), ...clock };
}

/** A server that only this machine reaches is the most frequent reason. */
function withAdvice(code: string, message: string, { url }: RemoteService): string {
  if (code === 'VERSION') return `${message}: install the same version, or --skip-version-check`;
  if (!['SERVER_UNREACHABLE', 'SERVER_OTHER'].includes(code) || !isLoopback(url)) return message;
  const { port, pathname, protocol } = new URL(url);
  const own = `${protocol}//${hostname()}:${port}${pathname}`;
  return `${message}. ${new URL(url).hostname} names each host itself: start the server with --host 0.0.0.0 and use --url ${own}`;
}
