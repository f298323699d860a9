import { hostname } from 'node:os';
import type { ComputeNode } from '../../core/contract/node.ts';
import type { ExecutionConfig } from '../../core/contract/workflow.ts';
import { mayHaveSteps } from '../../core/allocation/execution-mode.ts';
import { proofOfEnd } from './facts.ts';

/**
 * Whether a runner that is registered as active has ended, as the process table of this host proves; a silent one elsewhere may work. Of
 * one whose jobs are steps of Slurm the end of its allocation is the proof.
 */
export function isLostHere(node: ComputeNode, execution: ExecutionConfig | null | undefined): boolean {
  const { process: identity } = node;
  if (node.is_active !== true || node.hostname !== hostname() || !identity) return false;
  if ((identity.slurm_job_id ?? '') !== '' && mayHaveSteps(execution ?? {}, true)) return false;
  return ['gone', 'rebooted'].includes(proofOfEnd({ ...identity, pid: node.pid }, Date.parse(node.start_time)));
}
