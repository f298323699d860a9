import { constants } from 'node:os';
import type { ProcessEnd, LaunchRequest, Launcher } from '../../src/runner/launch/launcher.ts';
import type { LaunchOptions } from '../../src/runner/launch/choose.ts';
import type { Mark } from '../support/history.ts';

/** An attempt that runs, whether its runner lives or not. */
interface Process {
  readonly pid: number;
  readonly mark: Omit<Mark, 'what'>;
  readonly timer: NodeJS.Timeout;
  readonly report: (ending: ProcessEnd) => void;
}

/** The processes of all hosts, and the history that jobs write. */
export interface Machine {
  readonly history: Mark[];
  readonly running: number;
  launcherOf(runner: string, options: LaunchOptions): Launcher;
  /** As `process.kill` does for a process group. */
  signal(group: number, signal: NodeJS.Signals): void;
  /** Ends everything that a runner left behind. */
  killMarked(runner: string): void;
}

/** One number for an attempt of a run: attempts are counted anew in each run. */
export const attemptOf = (runId: number, attempt: number): number => runId * 1_000 + attempt;

const FIRST_PID = 2 ** 22 + 1;

/** `endsIn` says how long a job runs, in milliseconds; `failing` are the ids of jobs that fail whenever they run. */
export function createMachine(endsIn: () => number, failing: ReadonlySet<number> = new Set()): Machine {
  const history: Mark[] = [];
  const processes = new Map<number, Process>();
  let pids = FIRST_PID;

  const end = (pid: number, how: Partial<ProcessEnd>) => {
    const process = processes.get(pid);
    if (process === undefined) return;
    processes.delete(pid);
    clearTimeout(process.timer);
    history.push({ ...process.mark, what: 'ended' });
    process.report({
      pid,
      exitCode: undefined,
      signal: undefined,
      cpuSeconds: undefined,
      peakBytes: undefined,
      ...how,
    });
  };
  const kill = (pid: number, signal: NodeJS.Signals) => end(pid, { signal: constants.signals[signal] });

  const launch = (runner: string, { variables }: LaunchRequest, { environment, onEnd }: LaunchOptions): number => {
    const all = { ...environment, ...Object.fromEntries(variables) };
    const value = (name: string) => Number(all[name]);
    const pid = pids++;
    const attemptId = attemptOf(value('TORC_RUN_ID'), value('TORC_ATTEMPT_ID'));
    const mark = { jobId: value('TORC_JOB_ID'), attemptId, runner, cpus: 1, gpus: [] };
    history.push({ ...mark, what: 'began' });
    const timer = setTimeout(() => end(pid, { exitCode: failing.has(mark.jobId) ? 1 : 0 }), endsIn());
    processes.set(pid, { pid, mark, timer, report: (ending) => onEnd([ending]) });
    return pid;
  };

  return {
    history,
    get running() {
      return processes.size;
    },
    launcherOf: (runner, options) => ({
      name: 'child_process',
      launch: (request) => launch(runner, request, options),
      close: () => {},
    }),
    signal(group, signal) {
      const pid = -group;
      if (!processes.has(pid)) throw new Error('ESRCH');
      // A job that is asked to end takes a moment; the kernel reports a killed one as soon as the runner looks.
      setTimeout(() => kill(pid, signal), signal === 'SIGKILL' ? 0 : 5);
    },
    killMarked(runner) {
      for (const { pid, mark } of processes.values()) if (mark.runner === runner) kill(pid, 'SIGKILL');
    },
  };
}
