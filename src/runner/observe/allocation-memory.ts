import { after, type Timer } from '../../client/long-timers.ts';
import type { StepId } from '../../core/contract/files/job.ts';
import { sizeTexts } from '../../core/quantity/size-text.ts';
import type { Log } from '../facts/log.ts';
import type { Uses } from '../step/steps.ts';

export interface AllocationMemoryOptions {
  /** What the allocation has on this node. */
  readonly limitBytes: number;
  /** The memory that each running job asked for. */
  readonly needs: () => ReadonlyMap<StepId, number>;
  readonly observe: (ids: ReadonlySet<StepId>) => Uses | Promise<Uses>;
  /** Kills the step, and remembers that memory is the cause of its end. */
  readonly kill: (id: StepId) => unknown;
  /** What the runner itself uses. */
  readonly ownBytes?: () => number;
  readonly log: Pick<Log, 'write'>;
}

/** Slurm looks every second at the soonest, and every 30 s unless its site configures otherwise. */
const LOOK_MS = 1_000;
/** Looking takes this part of the time at most. */
const LARGEST_SHARE = 1 / 50;
/** The runner needs the rest to report what it did. */
const MOST = 0.95;
/** Room for jobs without which an allocation is of no use. */
const LEAST_BYTES = 32 * 2 ** 20;

/**
 * Protects an allocation from the job that uses more than it asked for.
 *
 * Slurm ends a whole allocation that exceeds its memory, and its runner with it: then nothing is reported, and jobs that
 * use little end too. So the sum is looked at every second, and the job that exceeds its own request most is killed first.
 */
export function guardAllocationMemory(options: AllocationMemoryOptions): { close(): void } {
  const { limitBytes, needs, observe, kill, log, ownBytes = () => process.memoryUsage.rss() } = options;
  let timer: Timer | undefined;
  let isOpen = true;

  if (ownBytes() + LEAST_BYTES > limitBytes) {
    const [limit, own] = sizeTexts(limitBytes, ownBytes());
    log.write('warn', 'The allocation has hardly more memory than the runner itself needs; request more', {
      limit,
      own,
    });
  }

  const look = async () => {
    const startedAt = performance.now();
    const wanted = needs();
    if (wanted.size > 0) await lookAt(wanted).catch(() => {});
    const costMs = performance.now() - startedAt;
    if (isOpen) timer = after(Math.max(LOOK_MS, costMs / LARGEST_SHARE), () => void look());
  };

  const lookAt = async (wanted: ReadonlyMap<StepId, number>): Promise<void> => {
    const uses = await observe(new Set(wanted.keys()));
    const most = limitBytes * MOST - ownBytes();
    const roughly = new Map([...uses].map(([id, { memoryBytes }]) => [id, memoryBytes]));
    if (sumOf(roughly) <= most) return;
    // Memory that processes share was counted several times.
    const exactly = new Map<StepId, number>();
    for (const [id, use] of uses) exactly.set(id, (await use.exactly?.()) ?? use.memoryBytes);
    if (sumOf(exactly) <= most) return;
    const id = worstOf(exactly, wanted);
    if (id === undefined) return;
    const [used, request, limit] = sizeTexts(exactly.get(id) ?? 0, wanted.get(id) ?? 0, limitBytes);
    log.write('warn', 'The jobs exceed the memory of the allocation; the one most above its request is killed', {
      step: id,
      used,
      request,
      limit,
    });
    kill(id);
  };

  timer = after(LOOK_MS, () => void look());
  return {
    close() {
      isOpen = false;
      timer?.cancel();
    },
  };
}

const sumOf = (uses: ReadonlyMap<StepId, number>): number => [...uses.values()].reduce((sum, bytes) => sum + bytes, 0);

/** The step that exceeds its request most. */
function worstOf(uses: ReadonlyMap<StepId, number>, needs: ReadonlyMap<StepId, number>): StepId | undefined {
  const above = ([id, bytes]: readonly [StepId, number]) => bytes - (needs.get(id) ?? 0);
  return [...uses].toSorted((a, b) => above(b) - above(a))[0]?.[0];
}
