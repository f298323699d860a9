import { after, type Timer } from '../../../client/long-timers.ts';
import type { AllocationSteps } from '../../../cluster/slurm/steps.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import type { Log } from '../../log.ts';

/**
 * Steps that have ended, and that the controller still counts, because it was killed when they ended (Slurm 22.05).
 *
 * They keep their CPUs until the allocation ends, so no other step could start. scancel does not remove them, but a step with
 * `--overlap` starts beside them. The runner leases CPUs and memory itself, so nothing is used twice.
 */
export interface GhostOptions {
  readonly slurm: Pick<AllocationSteps, 'ids'>;
  /** The steps that were launched more than so many milliseconds ago, and have not begun. */
  readonly waiting: (longerThanMs: number) => readonly StepId[];
  /** These wait behind steps that have ended. */
  readonly onBlocked: (waiting: readonly StepId[]) => void;
  readonly log: Pick<Log, 'write'>;
  /** Milliseconds between two looks. */
  readonly lookMs?: number;
}

export interface Ghosts {
  /** A step of this runner has ended. */
  ended(id: StepId): void;
  /** Whether steps have to start beside others. */
  areThere(): boolean;
  close(): void;
}

/** A step begins within a second; on a busy cluster within some. Each look of a runner is a request to the controller. */
const LOOK_MS = 15_000;

export function watchForGhosts({ slurm, waiting, onBlocked, log, lookMs = LOOK_MS }: GhostOptions): Ghosts {
  const endedAtMs = new Map<StepId, number>();
  let areThere = false;
  let isClosed = false;
  let timer: Timer;

  const look = async () => {
    const late = waiting(lookMs);
    if (late.length === 0) return;
    const listed = [...(await slurm.ids()).keys()] as StepId[];
    // The controller learns of an end a moment after the runner.
    const ghosts = listed.filter((id) => (endedAtMs.get(id) ?? Infinity) < performance.now() - lookMs);
    if (ghosts.length === 0) return;
    if (!areThere) {
      const words = 'Slurm still counts steps that have ended, so no other step can start: from now on steps overlap';
      log.write('warn', words, { steps: ghosts.join(', ') });
    }
    areThere = true;
    onBlocked(late);
  };
  const lookAgain = () => {
    timer = after(lookMs, () => {
      void look()
        // The controller is away: then nothing starts.
        .catch(() => {})
        .finally(() => {
          if (!isClosed) lookAgain();
        });
    });
  };
  lookAgain();

  return {
    ended: (id) => void endedAtMs.set(id, performance.now()),
    areThere: () => areThere,
    close() {
      isClosed = true;
      timer.cancel();
    },
  };
}
