import type { Need } from '../contract/exchange.ts';
import { covers } from '../contract/labels.ts';
import type { ComputeNode } from '../contract/node.ts';
import type { ObstacleReason } from '../contract/unclaimable.ts';
import { counted } from '../quantity/count-text.ts';
import { sizeTexts } from '../quantity/size-text.ts';
import { timeText } from '../quantity/time-text.ts';
import { GRACE_SECONDS } from './runtime-fit.ts';

/** The properties of jobs that matter for a claim. */
export interface JobKind {
  readonly labels: readonly string[];
  readonly schedulerId: number | null;
  readonly need: Need;
}

/** The resources of an empty runner, and the jobs that it accepts. */
export interface RunnerRoom {
  readonly labels: readonly string[];
  readonly schedulerId: number | null;
  /** Takes only jobs of its own scheduler or of none. */
  readonly isStrict: boolean;
  /** Counts jobs and ignores their requirements. */
  readonly countsJobs: boolean;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly gpus: number;
  readonly nodes: number;
  /** Until its end; undefined if it has none. */
  readonly secondsLeft: number | undefined;
}

/** One reason why a runner does not take a job, with figures that a user can compare. */
export interface Obstacle {
  readonly reason: ObstacleReason;
  readonly needs: string;
  readonly has: string;
}

/** Everything that prevents this runner, even when empty, from taking these jobs; empty if they only have to wait. */
export function obstacles({ labels, schedulerId, need }: JobKind, room: RunnerRoom): Obstacle[] {
  const found: Obstacle[] = [];
  const add = (reason: ObstacleReason, needs: string, has: string) => found.push({ reason, needs, has });

  if (!covers(room.labels, labels)) add('labels', labelWords(labels), labelWords(room.labels));
  if (room.countsJobs) return found;
  if (room.isStrict && schedulerId !== null && schedulerId !== room.schedulerId)
    add('scheduler', `scheduler ${schedulerId}`, room.schedulerId === null ? 'none' : `scheduler ${room.schedulerId}`);
  const counts = [
    ['cpus', need.num_cpus, room.cpus, 'CPU'],
    ['gpus', need.num_gpus, room.gpus, 'GPU'],
    ['nodes', need.num_nodes, room.nodes, 'node'],
  ] as const;
  for (const [reason, needs, has, thing] of counts)
    if (needs > has) add(reason, counted(needs, thing), counted(has, thing));
  if (need.memory_bytes > room.memoryBytes)
    add('memory', ...(sizeTexts(need.memory_bytes, room.memoryBytes) as [string, string]));
  if (room.secondsLeft !== undefined && need.runtime_seconds > room.secondsLeft + GRACE_SECONDS)
    add('time', ...lackingTime(need.runtime_seconds, Math.max(0, room.secondsLeft)));
  return found;
}

/** In seconds where rounding hides the difference. */
function lackingTime(needed: number, left: number): [string, string] {
  const texts = [timeText(needed), timeText(left)] as const;
  return texts[0] === texts[1] ? [`${needed} s`, `${Math.floor(left)} s left`] : [texts[0], `${texts[1]} left`];
}

/** The resources of a registered runner, as it reported them, with the seconds until its end if it has one. */
export const roomOfNode = (node: ComputeNode, secondsLeft: number | undefined): RunnerRoom => ({
  labels: node.labels ?? [],
  schedulerId: node.scheduler_config_id ?? null,
  isStrict: node.process?.strict_scheduler_match === true,
  countsJobs: typeof node.process?.max_parallel_jobs === 'number',
  cpus: node.num_cpus,
  memoryBytes: Math.floor(node.memory_gb * 2 ** 30),
  gpus: node.num_gpus,
  nodes: node.num_nodes,
  secondsLeft,
});

const labelWords = (labels: readonly string[]) =>
  labels.length === 0 ? 'no label' : `${labels.length === 1 ? 'label' : 'labels'} ${labels.join(', ')}`;
