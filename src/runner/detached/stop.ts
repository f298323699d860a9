import { signalProcess } from '../../cluster/host/kill-together.ts';
import type { HostReply } from '../../core/remote/remote-host.ts';
import { lookAtWorker } from './look.ts';
import { endProofOf, readState, workerFile } from './state-file.ts';

const LOOK_MS = 50;

export interface DetachedStopOptions {
  readonly outputDir: string;
  readonly workflowId: number;
  readonly force: boolean;
  readonly waitMs: number;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/**
 * Ends the runner of a workflow on this host, and waits until its process is gone.
 *
 * It is signaled only if the process table proves that the process is the runner. SIGTERM lets it end its jobs, report
 * them, and leave; SIGKILL ends it at once, and what its jobs left is ended by the recovery. If it lives longer than
 * the wait, the reply is `ending`.
 */
export async function stopWorker(options: DetachedStopOptions): Promise<HostReply> {
  const { outputDir, workflowId, force, waitMs, now, pause } = options;
  const found = lookAtWorker(outputDir, workflowId);
  const state = readState(workerFile(outputDir, workflowId));
  // One that has written its end may still be leaving.
  if (state === undefined || endProofOf(state) !== 'alive') return found;
  const { pid } = state;
  signalProcess(pid, force ? 'SIGKILL' : 'SIGTERM');
  const until = now() + waitMs;
  while (endProofOf(state) === 'alive') {
    if (now() >= until) return { is: 'ending', pid };
    await pause(LOOK_MS);
  }
  return { is: 'stopped', pid, killed: force };
}
