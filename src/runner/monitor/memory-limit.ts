import type { Log } from '../log.ts';
import type { Violation, WatchedJob } from '../watch.ts';

const GIBIBYTE = 2 ** 30;

/**
 * The memory limit of a job: the memory of its requirements. No limit was requested if it has the default requirements
 * (`defaultId`); 0 means unlimited.
 */
export const memoryLimitOf = (
  { need, resource_requirements_id: requirements }: WatchedJob,
  defaultId: number | undefined,
): number | undefined => (requirements === defaultId || need.memory_bytes <= 0 ? undefined : need.memory_bytes);

export interface EnforcerOptions {
  readonly workflowId: number;
  readonly log: Log;
  /** Called before the job is killed, because the runner is the cause of its end. */
  readonly onKill: (pid: number) => void;
}

/** Kills a job that exceeds its memory limit. The log messages are public: users and programs search for them. */
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

/** Repeats until no process is left: one that forks meanwhile is found the next time. */
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
    // It ended meanwhile.
  }
}
