import { after, type Timer } from '../../../client/long-timers.ts';
import type { AllocationSteps } from '../../../cluster/slurm/steps.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import type { Log } from '../../facts/log.ts';

/**
 * Steps that have ended, and that the controller still counts, because it was away when they ended (Slurm 22.05).
 *
 * They keep their CPUs for a minute, or until the allocation ends if the controller was killed, and no other step can start. squeue lists
 * only some of them, and scancel does not remove them, but a step with `--overlap` starts beside them. The runner leases CPUs and
 * memory itself, so nothing is used twice, unless others have steps in its allocation: then it waits. A runner that counts jobs leases
 * nothing: its steps wait for one another as well.
 */
export interface GhostOptions {
  readonly slurm: Pick<AllocationSteps, 'ids'>;
  /** Whether a step of this runner has not ended. */
  readonly isRunning: (id: StepId) => boolean;
  /** The steps that were launched more than so many milliseconds ago, and have not begun. */
  readonly waiting: (longerThanMs: number) => readonly StepId[];
  /** Whether the allocation has room for a step beside these: one that Slurm cannot start yet waits for those. */
  readonly fits: (id: StepId, beside: readonly StepId[]) => boolean;
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
const LOOK_MS = 10_000;

/** Steps of ours that hold no CPUs: the launchers and the samplers of nodes. */
const BESIDE = /^wf\d+_r\d+_(?:jobs|samples)_/;

export function watchForGhosts({
  slurm,
  isRunning,
  waiting,
  fits,
  onBlocked,
  log,
  lookMs = LOOK_MS,
}: GhostOptions): Ghosts {
  const ended = new Set<StepId>();
  let areThere = false;
  let isClosed = false;
  let timer: Timer;

  const look = async () => {
    const late = waiting(lookMs);
    if (late.length === 0) return;
    const listed = [...(await slurm.ids()).keys()] as StepId[];
    const isForeign = (id: StepId) => !isRunning(id) && !ended.has(id) && !BESIDE.test(id);
    if (listed.some(isForeign)) return;
    // Slurm lists a step that runs, also where its mark is not seen yet.
    const running = listed.filter(isRunning);
    const blocked = late.filter((id) => !running.includes(id) && fits(id, running));
    if (blocked.length === 0) return;
    if (!areThere)
      log.write('warn', 'Slurm starts no step, though no other one uses its CPUs: from now on steps overlap', {
        waiting: blocked.join(', '),
      });
    areThere = true;
    onBlocked(blocked);
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
    ended: (id) => void ended.add(id),
    areThere: () => areThere,
    close() {
      isClosed = true;
      timer.cancel();
    },
  };
}
