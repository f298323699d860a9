import { after, type Timer } from '../../client/long-timers.ts';
import type { Need } from '../../core/contract/exchange.ts';
import type { Lease } from '../claim/capacity.ts';
import type { Steps } from '../step/steps.ts';
import type { JobStates, QueuedJob, PlacedAttempt } from './job-states.ts';

export interface SendingAheadOptions {
  readonly steps: Pick<Steps, 'mayFollow' | 'takeBack'>;
  readonly jobs: JobStates;
  readonly start: (queued: QueuedJob, lease: Lease, before: PlacedAttempt) => boolean;
  /** Whether a job could start in a place of its own. */
  readonly hasRoom: () => boolean;
}

/**
 * Jobs that take longer are not sent ahead: the round trip of some milliseconds is nothing to them, and a job that waits for one
 * place may find another one free. On a node with 15 processes a CPU, where the round trip takes 400 ms, `true` takes 30 ms in the
 * mean and 300 ms now and then.
 */
const SHORT_SECONDS = 0.1;
/**
 * A job that waited for this long starts where there is room. Too short, and jobs come back that would have begun just then.
 */
const WAIT_MS = 100;
/** After this time it comes back also where there is none: what it waits for takes long, and other places may be free sooner. */
const LONGEST_WAIT_MS = 500;
/** Attempts that wait behind one that runs. With one, a slot is idle while the next is on its way; more only wait longer. */
const MOST_BEHIND = 2;
/** The share of the last step in the mean. */
const WEIGHT = 0.2;
/** The mean after a job had to be taken back: 11 short jobs later others are sent ahead again. */
const LONG_SECONDS = 1;

/**
 * Sends jobs ahead to the place of a running one with the same requirements, where another process starts the steps: the next job
 * then begins as soon as the last has ended, instead of a round trip later.
 */
export function createSendingAhead({ steps, jobs, start, hasRoom }: SendingAheadOptions) {
  /** Nothing is known before the first end. */
  let meanSeconds = Infinity;
  let timer: Timer | undefined;

  const waiting = () => [...jobs.running.values()].filter(({ state }) => state === 'sent ahead');
  const takeBackLate = () => {
    timer = undefined;
    const left = waiting();
    const since = performance.now() - (hasRoom() ? WAIT_MS : LONGEST_WAIT_MS);
    for (const { step, startedAt } of left) if (startedAt <= since) steps.takeBack?.(step.id);
    if (left.length > 0) watch();
  };
  const watch = () => {
    timer ??= after(WAIT_MS, takeBackLate);
  };

  return {
    /** Sends what waits, if jobs are short. */
    fill() {
      const { mayFollow } = steps;
      if (mayFollow === undefined || meanSeconds > SHORT_SECONDS) return;
      const last = [...jobs.running.values()].filter(
        (each) => each.follower === undefined && behindOf(each) < MOST_BEHIND && mayFollow(each.step.id),
      );
      if (last.length === 0) return;
      // Each place gets one before any gets another.
      last.sort((one, other) => behindOf(one) - behindOf(other));
      let before: PlacedAttempt | undefined;
      jobs.startFitting({
        isFull: () => last.length === 0,
        lease({ need }) {
          const at = last.findIndex(({ lease }) => isSame(lease.need, need));
          [before] = at === -1 ? [] : last.splice(at, 1);
          return before?.lease;
        },
        start: (queued, lease) => start(queued, lease, before as PlacedAttempt),
      });
      watch();
    },
    /** A step ran for this long. */
    noteLength(seconds: number) {
      meanSeconds = meanSeconds === Infinity ? seconds : meanSeconds + (seconds - meanSeconds) * WEIGHT;
    },
    /** A job came back. */
    noteReturn() {
      meanSeconds = LONG_SECONDS;
    },
    /** No job that was sent ahead is to begin, unless it has. */
    takeBackAll() {
      for (const { step } of waiting()) steps.takeBack?.(step.id);
    },
  };
}

/** Of one node: a job on several nodes is started in another way. */
const isSame = (one: Need, other: Need): boolean =>
  one.num_nodes <= 1 &&
  other.num_nodes <= 1 &&
  one.num_cpus === other.num_cpus &&
  one.memory_bytes === other.memory_bytes &&
  one.num_gpus === other.num_gpus;

/** How many attempts have this place before it. */
const behindOf = ({ before }: Pick<PlacedAttempt, 'before'>): number =>
  before === undefined ? 0 : 1 + behindOf(before);
