import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import type { Memory } from './memory.ts';
import type { WatchTools } from './tools.ts';

/**
 * How long a watch waits for a runner.
 *
 * Too short, and a watch that a script starts together with `torc run` ends before the runner is registered: up to 3 s on a
 * busy file system. Too long, and a person who watches the wrong workflow waits for nothing.
 */
const GRACE_MS = 10_000;
/** A client sends no job while it creates thousands of files. */
const CREATION_GRACE_MS = 60_000;
/** Meanwhile it looks again so often. */
export const IDLE_LOOK_MS = 2000;

/**
 * Whether something may still run the jobs of a workflow that has no runner at this look: a runner that starts, an
 * allocation that is planned, a recovery or a submission in progress, the rest of its creation.
 */
export async function mayBegin(tools: WatchTools, memory: Memory, status: WorkflowStatus): Promise<boolean> {
  const graceMs = status.is_being_created === true ? CREATION_GRACE_MS : GRACE_MS;
  if (memory.idleSinceMs === undefined) {
    memory.idleSinceMs = tools.nowMs();
    tools.report(
      'info',
      `No runner works on this workflow: waiting ${graceMs / 1000} s for one (--persistent watches on)`,
    );
    return true;
  }
  if (tools.nowMs() - memory.idleSinceMs < graceMs) return true;
  if (!(await tools.isToCome())) return false;
  memory.idleSinceMs = tools.nowMs();
  return true;
}
