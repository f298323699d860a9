import { marginsOf, type TimeLeft, timeLeft, type TimeMargins, walltimeSum } from '../../allocation/usable-time.ts';
import type { Need } from '../../contract/exchange.ts';
import { covers } from './labels.ts';
import { heldAmounts, impossibleLimits, type JobLimit } from './limits.ts';
import type { ComputeNode } from '../../contract/node.ts';
import type { ExecutionConfig } from '../../contract/workflow.ts';
import type { ObstacleReason } from '../../contract/unclaimable.ts';
import { counted } from '../../quantity/count-text.ts';
import { parseMoment } from '../../quantity/moment.ts';
import { sizeTexts } from '../../quantity/size-text.ts';
import { timeText } from '../../quantity/time-text.ts';

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
  readonly time: TimeLeft | undefined;
  /** Of its workflow, its user and the server; without it, they are not looked at. */
  readonly limits?: readonly JobLimit[];
  /** The scheduler of an allocation that has not begun. */
  readonly future?: { readonly scheduler: string; readonly walltime: string; readonly margins: TimeMargins };
}

/** One reason why a runner does not take a job, with figures that a user can compare. */
export interface Obstacle {
  readonly reason: ObstacleReason;
  readonly needs: string;
  readonly has: string;
  /** Whose future allocation it is. */
  readonly scheduler?: string;
}

/** Everything that prevents this runner, even when empty, from taking these jobs; empty if they only have to wait. */
export function obstacles({ labels, schedulerId, need }: JobKind, room: RunnerRoom): Obstacle[] {
  const found: Obstacle[] = [];
  const of = room.future === undefined ? {} : { scheduler: room.future.scheduler };
  const add = (reason: ObstacleReason, needs: string, has: string) => found.push({ reason, needs, has, ...of });

  if (!covers(room.labels, labels)) add('labels', labelWords(labels), labelWords(room.labels));
  for (const { name, most } of impossibleLimits(need, room.limits ?? []))
    add('limit', `${heldAmounts(need)[name] ?? need.num_nodes} of ${name}`, `${most}`);
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
  if (room.time !== undefined && need.runtime_seconds > room.time.claimableSeconds)
    add('time', ...lackingTime(need.runtime_seconds, room.time, room.future));
  return found;
}

/** The obstacles of the room that has fewest; none without a room, or if one can take such jobs. */
export const nearestObstacles = (kind: JobKind, rooms: readonly RunnerRoom[]): readonly Obstacle[] =>
  rooms.map((room) => obstacles(kind, room)).toSorted((a, b) => a.length - b.length)[0] ?? [];

/** In seconds where rounding hides the difference. */
function lackingTime(
  needed: number,
  { leftSeconds: left, usableSeconds: usable }: TimeLeft,
  future: RunnerRoom['future'],
): [string, string] {
  if (future !== undefined) return [walltimeSum(needed, future.margins), `a walltime of ${future.walltime}`];
  const [need, has] = [timeText(needed), timeText(left)];
  const isSame = need === has;
  const part = usable === 0 ? 'too little to start a job' : `${timeText(usable)} of it for jobs`;
  return [isSame ? `${needed} s` : need, `${isSame ? `${Math.floor(left)} s` : has} left, ${part}`];
}

/**
 * The resources of a registered runner, as it reported them, and its time: now if it works, and as it had at its start if it
 * has left, because the next one starts with as much.
 */
export const roomOfNode = (
  node: ComputeNode,
  { execution, nowMs }: { readonly execution: ExecutionConfig | null | undefined; readonly nowMs: number },
): RunnerRoom => ({
  labels: node.labels ?? [],
  schedulerId: node.scheduler_config_id ?? null,
  isStrict: node.process?.strict_scheduler_match === true,
  countsJobs: typeof node.process?.max_parallel_jobs === 'number',
  cpus: node.num_cpus,
  memoryBytes: Math.floor(node.memory_gb * 2 ** 30),
  gpus: node.num_gpus,
  nodes: node.num_nodes,
  time: timeOfNode(node, execution, nowMs),
});

/**
 * The time that a runner has left at `nowMs` by the clock of the server: its own clock may be minutes from that. Invalid text, which an
 * old or foreign runner may have sent, counts as no end.
 */
export function timeOfNode(
  node: Pick<ComputeNode, 'start_time' | 'end_time' | 'is_active' | 'compute_node_type' | 'process'>,
  execution: ExecutionConfig | null | undefined,
  nowMs: number,
): TimeLeft | undefined {
  const endMs = parseMoment(node.end_time);
  if (endMs === undefined) return undefined;
  const startMs = parseMoment(node.start_time) ?? nowMs;
  const isInAllocation = node.compute_node_type === 'slurm' || (node.process?.slurm_job_id ?? '') !== '';
  const fromMs = node.is_active === false ? startMs : nowMs + (node.process?.clock_ahead_seconds ?? 0) * 1000;
  return timeLeft(marginsOf(execution, isInAllocation), {
    lengthSeconds: (endMs - startMs) / 1000,
    leftSeconds: (endMs - fromMs) / 1000,
  });
}

const labelWords = (labels: readonly string[]) =>
  labels.length === 0 ? 'no label' : `${labels.length === 1 ? 'label' : 'labels'} ${labels.join(', ')}`;
