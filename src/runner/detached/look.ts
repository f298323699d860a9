import type { HostReply } from '../../core/remote/remote-host.ts';
import { endProofOf, readState, workerFile } from './state-file.ts';

/** The runner of a workflow that was started on this host over ssh. */
export function lookAtWorker(outputDir: string, workflowId: number): HostReply {
  const state = readState(workerFile(outputDir, workflowId));
  if (state === undefined) return { is: 'none' };
  const { pid, started_at, log, ended } = state;
  const facts = { pid, started_at, log };
  if (ended) return { is: 'ended', ...facts, ended };
  const proof = endProofOf(state);
  if (proof === 'alive') return { is: 'running', ...facts };
  if (proof === 'unknown') return { is: 'unknown', ...facts };
  return { is: 'gone', ...facts, rebooted: proof === 'rebooted' };
}
