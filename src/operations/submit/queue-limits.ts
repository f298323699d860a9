import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { pause } from '../../client/long-timers.ts';
import type { JobState } from '../../cluster/batch/batch-system.ts';
import type { AllocationRoom } from '../../core/lifecycle/placement/allocation-room.ts';
import { failedAtOnce, type SubmittedAllocation } from '../../core/allocation/failed-at-once.ts';
import { jobOfAllocation } from '../../core/allocation/slurm-job.ts';
import { allocationOutputOf } from '../../core/contract/files/runner.ts';
import { firstWithLines } from '../output/last-lines.ts';
import { openRoomByLimits } from './room-by-limits.ts';
import type { AllocationRecord, SubmitTools } from './submit-tools.ts';

/** What a process remembers of its submissions for a workflow. */
interface Memory {
  /** Records, in the order in which they were submitted. */
  readonly submitted: number[];
  sentAtMs: number | undefined;
  lookedAtMs: number | undefined;
  /** Why it pauses, as it was found when it looked. */
  pause: string | undefined;
}

const memories = new WeakMap<Client, Map<number, Memory>>();

function memoryOf(client: Client, workflowId: number): Memory {
  const known = memories.get(client) ?? new Map<number, Memory>();
  memories.set(client, known);
  const memory = known.get(workflowId) ?? {
    submitted: [],
    sentAtMs: undefined,
    lookedAtMs: undefined,
    pause: undefined,
  };
  known.set(workflowId, memory);
  return memory;
}

/** Holds submissions back: the rate, the room in the queue, and a pause after allocations that failed at once. */
export interface QueueLimits {
  /** Waits as long as the rate asks for. */
  pace(): Promise<void>;
  /** The most that may wait in the queue: what this call says, or the plan of the allocations. */
  most(record: AllocationRecord): number | undefined;
  /** How many more of these may be submitted, and what bounds them; undefined without a limit. */
  room(record: AllocationRecord): Promise<AllocationRoom | undefined>;
  /** Why nothing more is submitted: the last allocations failed at once. `isReported`: this process has said so before. */
  pauseReason(): Promise<{ readonly words: string; readonly isReported: boolean } | undefined>;
  sent(ids: readonly number[]): void;
}

/** Slurm is asked about earlier allocations this often at most: each question costs as much as a submission. */
const LOOK_MS = 2_000;
/** Fewer than these show no fault, as `failedAtOnce` counts. */
const FEWEST = 3;
/** Of the allocations that this process submitted, so many are looked at. */
const LOOKED_AT = 20;

export function openLimits(tools: SubmitTools, workflowId: number): QueueLimits {
  const { client, slurm, settings } = tools;
  const memory = memoryOf(client, workflowId);
  /** How many are in the queue, as this call knows. */
  let inQueue: number | undefined;
  const byLimits = openRoomByLimits(tools, workflowId);

  const most = ({ plan }: AllocationRecord) =>
    settings.maxQueued ?? plan?.max_queued ?? settings.usualMaxQueued ?? undefined;

  const waiting = async (): Promise<number> => {
    const query = { workflow_id: workflowId, status: 'pending' };
    const records = await all((page) => client.listScheduledComputeNodes({ query: { ...query, ...page } }));
    const states = await slurm.statesOf(records.map(jobOfAllocation));
    // One that Slurm says nothing about counts: it may wait.
    return records.filter((each) => (states.get(jobOfAllocation(each))?.state ?? 'queued') === 'queued').length;
  };

  return {
    async pace() {
      const { submitRate } = settings;
      const nowMs = performance.now();
      if (submitRate !== undefined && memory.sentAtMs !== undefined)
        await pause(Math.max(0, memory.sentAtMs + 60_000 / submitRate - nowMs));
      memory.sentAtMs = performance.now();
    },
    most,
    async room(record) {
      const limited = await byLimits.of(record);
      const limit = most(record);
      if (limit === undefined) return limited;
      if (inQueue === undefined || inQueue >= limit) inQueue = await waiting();
      const inLine = { allocations: limit - inQueue, why: `max_queued ${limit}` };
      return limited !== undefined && limited.allocations < inLine.allocations ? limited : inLine;
    },
    async pauseReason() {
      const nowMs = performance.now();
      const before = memory.pause;
      if (memory.submitted.length < FEWEST) return undefined;
      if (memory.lookedAtMs === undefined || nowMs - memory.lookedAtMs >= LOOK_MS) {
        memory.lookedAtMs = nowMs;
        memory.pause = await pauseOf(tools, workflowId, memory.submitted.slice(-LOOKED_AT));
      }
      return memory.pause === undefined ? undefined : { words: memory.pause, isReported: memory.pause === before };
    },
    sent(ids) {
      for (const id of ids) memory.submitted.push(id);
      if (inQueue !== undefined) inQueue += ids.length;
      byLimits.sent(ids.length);
    },
  };
}

/** Why nothing more is to be submitted, if the last of these allocations failed at once. */
async function pauseOf(tools: SubmitTools, workflowId: number, ids: readonly number[]): Promise<string | undefined> {
  const last = await outcomesOf(tools, workflowId, ids);
  const failed = failedAtOnce(last.map(({ outcome }) => outcome));
  if (failed.length === 0) return undefined;
  const jobs = last.filter(({ outcome }) => failed.includes(outcome)).map(({ job }) => job);
  return wordsOf(jobs, outputOf(tools.settings.outputDir, workflowId, jobs.at(-1) as JobState));
}

interface Reported {
  readonly outcome: SubmittedAllocation;
  readonly job: JobState;
}

/** What became of allocations, as far as BatchQueue knows them. */
async function outcomesOf(
  { client, slurm }: SubmitTools,
  workflowId: number,
  ids: readonly number[],
): Promise<Reported[]> {
  const wanted = new Set(ids);
  const records = await all((page) =>
    client.listScheduledComputeNodes({ query: { workflow_id: workflowId, ...page } }),
  );
  const own = records.filter((each): each is AllocationRecord => wanted.has(each.id));
  const states = await slurm.statesOf(own.map(jobOfAllocation));
  const reported: Reported[] = [];
  for (const record of own) {
    const job = states.get(jobOfAllocation(record));
    if (job === undefined) continue;
    const query = { workflow_id: workflowId, scheduled_compute_node_id: record.id, limit: 1 };
    const { state, word, seconds } = job;
    const isKnown = record.status === 'active' || state !== 'ended';
    const hasRunner = isKnown
      ? record.status === 'active'
      : (await client.listComputeNodes({ query })).items.length > 0;
    reported.push({ job, outcome: { recordId: record.id, state, word, seconds, hasRunner } });
  }
  return reported;
}

/** The last lines that an allocation wrote, errors before output. */
function outputOf(outputDir: string, workflowId: number, { rawId, jobId }: JobState): readonly string[] {
  const path = allocationOutputOf(outputDir, workflowId, rawId ?? jobId);
  return firstWithLines([`${path}.e`, `${path}.o`])?.lines ?? [`${path}.e and .o are empty or missing`];
}

const wordsOf = (jobs: readonly JobState[], lines: readonly string[]): string =>
  [
    `the last ${jobs.length} allocations ended within seconds and without a runner (${jobs.map(({ jobId, word }) => `${jobId} ${word}`).join(', ')})`,
    'The last lines of their output:',
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
