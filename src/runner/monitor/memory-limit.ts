import type { Log } from '../log.ts';
import type { Violation, WatchedJob } from '../watch.ts';

const GIBIBYTE = 2 ** 30;

/**
 * What a job may use: the memory of its requirements. Those that jobs have which name none (`defaultId`) are a wish of
 * nobody's, and 0 is none.
 */
export const memoryLimitOf = (
  { need, resource_requirements_id: requirements }: WatchedJob,
  defaultId: number | undefined,
): number | undefined => (requirements === defaultId || need.memory_bytes <= 0 ? undefined : need.memory_bytes);

export interface EnforcerOptions {
  readonly workflowId: number;
  readonly log: Log;
  /** To be told before the job is killed: its end is not its own. */
  readonly onKill: (pid: number) => void;
}

/** Ends a job that uses more memory than it may. The words of the log are public: people and programs search for them. */
export function createEnforcer({ workflowId, log, onKill }: EnforcerOptions) {
  return ({ job, pid, memoryBytes, limitBytes, members }: Violation): void => {
    log.write('warn', 'OOM violation detected:', {
      workflow_id: workflowId,
      job_id: job.id,
      pid,
      memory: gigabytes(memoryBytes),
      limit: gigabytes(limitBytes),
    });
    log.write('warn', 'Killing OOM job', { workflow_id: workflowId, job_id: job.id });
    onKill(pid);
    killFamily(pid, members);
  };
}

const gigabytes = (bytes: number) => `${(bytes / GIBIBYTE).toFixed(2)}GB`;

/** Looks until nothing of it is left: what forks while we look is found the next time. */
const ROUNDS = 20;

/** Kills every process of a job: its group, and those that left it. */
function killFamily(root: number, members: () => readonly number[]): void {
  kill(-root);
  const killed = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const left = members().filter((pid) => !killed.has(pid));
    if (left.length === 0) return;
    for (const pid of left) {
      killed.add(pid);
      kill(pid);
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Ended meanwhile.
  }
}
