import { filesOf, type StepId, stepIdOf } from '../../core/contract/files/job.ts';
import { sayWhy } from '../attempt/say-why.ts';
import { LaunchError } from '../launch/launcher.ts';
import type { LauncherOrder, ReportedEnd } from '../step/batch/protocol.ts';
import type { RunFacts } from '../facts/run-facts.ts';
import type { Steps } from '../step/steps.ts';
import type { MemoryLimits } from './memory-limits.ts';
import type { LauncherNews } from './news.ts';
import { createSuccessors } from './successors.ts';

/** The exit code of a shell that cannot execute a command. */
const CANNOT_EXECUTE = 126;

type StartOrder = Extract<LauncherOrder, { do: 'start' }>;
type Start = StartOrder & { readonly id: StepId };

export interface LauncherStartsOptions {
  readonly facts: RunFacts;
  readonly steps: Pick<Steps, 'start'>;
  readonly limits: Pick<MemoryLimits, 'begin'>;
  readonly news: LauncherNews;
}

/** Starts jobs as ordered: at once, or in the place of another one. */
export interface LauncherStarts {
  order(order: StartOrder): void;
  /** Takes back a start that waits, and those behind it; false if it does not wait. */
  takeBack(id: StepId): boolean;
  /** How long a step that has ended ran. */
  secondsOf(id: StepId): number;
  /** Reports ends, and starts what gets their places. */
  follow(ends: readonly ReportedEnd[]): void;
  /** The allocation may be ending, which the runner decides: from now on no job starts in the place of another one. */
  allocationSignaled(): void;
  close(): void;
}

export function createLauncherStarts({ facts, steps, limits, news }: LauncherStartsOptions): LauncherStarts {
  const startedAtMs = new Map<StepId, number>();
  const successors = createSuccessors<Start>();
  let isSignaled = false;

  const start = ({ id, job, gpus }: Start) => {
    startedAtMs.set(id, performance.now());
    try {
      steps.start(job, { need: job.need, nodes: [], gpus });
      news.started(id);
      limits.begin(id, job);
    } catch (error) {
      startedAtMs.delete(id);
      if (!(error instanceof LaunchError)) throw error;
      news.takenBack(successors.dropBehind(id));
      if (!error.isOfJob) {
        news.refused({ id, reason: error.message });
        return;
      }
      // It can start neither here nor elsewhere.
      sayWhy(filesOf(facts, job).stderr, error.message);
      news.ended({ id, exitCode: CANNOT_EXECUTE, signal: undefined, cpuSeconds: undefined, peakBytes: undefined });
    }
  };

  /**
   * The step that gets the place of one that has ended. Only a success makes room without asking: an end by a signal may be the
   * first sign that the allocation ends, and then no job may start.
   */
  const nextAfter = ({ id, exitCode, asked }: ReportedEnd) => {
    if (exitCode === 0 && asked === undefined) return successors.next(id) ?? [];
    news.takenBack(successors.dropBehind(id));
    return [];
  };

  return {
    order(order) {
      const id = stepIdOf(facts, order.job);
      const { after } = order;
      if (after === undefined) return start({ ...order, id });
      // It was sent before the runner knew of the signal.
      if (isSignaled) return news.takenBack([id]);
      if (startedAtMs.has(after) || successors.has(after)) return successors.add(after, { ...order, id });
      start({ ...order, id });
    },
    takeBack(id) {
      const ids = successors.drop(id);
      news.takenBack(ids);
      return ids.length > 0;
    },
    secondsOf(id) {
      const nowMs = performance.now();
      const seconds = (nowMs - (startedAtMs.get(id) ?? nowMs)) / 1000;
      startedAtMs.delete(id);
      return seconds;
    },
    follow(ends) {
      for (const end of ends) news.ended(end);
      const next = ends.flatMap(nextAfter);
      // The runner gets the ends before the next starts take their time.
      news.report();
      for (const each of next) start(each);
      news.reportSoon();
    },
    allocationSignaled() {
      isSignaled = true;
      news.takenBack(successors.clear());
      news.report();
    },
    close: () => void successors.clear(),
  };
}
