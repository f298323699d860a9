import type { Ssh } from '../../cluster/ssh/ssh.ts';
import type { HostReply, HostRequest, WorkerEnd } from '../../core/remote/remote-host.ts';
import { VERSION } from '../../core/contract/version.ts';
import type { Worker } from '../../core/remote/worker-line.ts';
import { type Answer, askHost } from './ask-host.ts';
import { eachAtOnce } from './each-host.ts';
import type { RemoteService } from './service.ts';

/** Common to everything that is asked of running or ended runners. */
export interface HostsOptions {
  readonly ssh: Ssh;
  readonly workflowId: number;
  readonly outputDir: string;
  readonly atOnce: number;
  readonly now: () => number;
}

/**
 * The runner of a workflow on a host.
 *
 * `running`: its process lives. `ended`: it said how it ended. `gone`: its process is not there any more, and it did not
 * say how it ended; its jobs may count as running until they are given back. `none`: none was started. `stopped`, `ending`:
 * after a stop. `unknown`: the host answers, but proves nothing; `silent`: it does not answer.
 */
export interface WorkerReport {
  readonly worker: Worker;
  readonly is: 'running' | 'ended' | 'gone' | 'none' | 'unknown' | 'silent' | 'stopped' | 'ending';
  readonly pid?: number | undefined;
  readonly startedAt?: string | undefined;
  readonly log?: string | undefined;
  readonly ended?: WorkerEnd | undefined;
  /** The machine was booted since the runner started. */
  readonly rebooted?: boolean | undefined;
  readonly killed?: boolean | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

const LOOK_MS = 60_000;

/** What the hosts say of their runners, in the order of the hosts. */
export async function workerStates(workers: readonly Worker[], options: HostsOptions): Promise<WorkerReport[]> {
  return eachAtOnce(workers, options.atOnce, async (worker) =>
    reportOf(
      worker,
      await askHost(worker, { task: 'state', ...hostRequestOf(worker, options) }, { ...options, atMostMs: LOOK_MS }),
    ),
  );
}

export interface StopOptions extends HostsOptions {
  readonly service: RemoteService;
  readonly force: boolean;
  /** How long a runner may need to end its jobs and to report them. */
  readonly waitSeconds: number;
  readonly onDone: (report: WorkerReport) => void;
}

/** Ends the runners, and waits until they are gone. */
export async function stopWorkers(workers: readonly Worker[], options: StopOptions): Promise<WorkerReport[]> {
  const { service, force, waitSeconds, atOnce, onDone } = options;
  const stop = async (worker: Worker) => {
    const request: HostRequest = {
      task: 'stop',
      ...hostRequestOf(worker, options),
      service,
      force,
      wait_seconds: waitSeconds,
    };
    return reportOf(worker, await askHost(worker, request, { ...options, atMostMs: LOOK_MS + waitSeconds * 1000 }));
  };
  return eachAtOnce(workers, atOnce, stop, (_, report) => onDone(report));
}

/** What a host recovered: its lost runners, with notes about each; without a number where the host could not say it. */
export interface HostRecovery {
  readonly runners?: number | undefined;
  readonly notes: readonly string[];
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/**
 * Gives the jobs back that runners held which are proven gone, by the process tables of their hosts. Returns what each
 * host recovered, in the order of the hosts.
 */
export async function recoverWorkers(
  workers: readonly Worker[],
  options: HostsOptions & { readonly service: RemoteService },
): Promise<HostRecovery[]> {
  return eachAtOnce(workers, options.atOnce, async (worker) => {
    const request: HostRequest = { task: 'recover', ...hostRequestOf(worker, options), service: options.service };
    const answer = await askHost(worker, request, { ...options, atMostMs: LOOK_MS });
    if (answer.kind === 'silence') return { notes: [], code: answer.code, message: answer.message };
    const { reply } = answer;
    if (reply.is === 'recovered') return { runners: reply.runners, notes: reply.notes ?? [] };
    const refused = reply.is === 'refused' ? reply : undefined;
    return { notes: [], code: refused?.code ?? 'NO_ANSWER', message: refused?.message ?? `it answered "${reply.is}"` };
  });
}

export const hostRequestOf = (
  worker: Worker,
  { workflowId, outputDir }: Pick<HostsOptions, 'workflowId' | 'outputDir'>,
) => ({
  version: VERSION,
  workflow_id: workflowId,
  output_dir: worker.options.outputDir ?? outputDir,
});

function reportOf(worker: Worker, answer: Answer): WorkerReport {
  if (answer.kind === 'silence') return { worker, is: 'silent', code: answer.code, message: answer.message };
  return { worker, ...reportedBy(answer.reply) };
}

function reportedBy(reply: HostReply): Omit<WorkerReport, 'worker'> {
  if (reply.is === 'running' || reply.is === 'unknown') return { is: reply.is, ...factsOf(reply) };
  if (reply.is === 'ended') return { is: 'ended', ...factsOf(reply), ended: reply.ended };
  if (reply.is === 'gone') return { is: 'gone', ...factsOf(reply), rebooted: reply.rebooted };
  if (reply.is === 'none') return { is: 'none' };
  if (reply.is === 'stopped') return { is: 'stopped', pid: reply.pid, killed: reply.killed };
  if (reply.is === 'ending') return { is: 'ending', pid: reply.pid };
  if (reply.is === 'refused') return { is: 'silent', code: reply.code, message: reply.message };
  return { is: 'silent', code: 'NO_ANSWER', message: `the host answered "${reply.is}"` };
}

const factsOf = ({ pid, started_at: startedAt, log }: { pid: number; started_at: string; log: string }) => ({
  pid,
  startedAt,
  log,
});
