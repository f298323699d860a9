import { ServiceError, Unreachable } from '../../client/errors.ts';
import { withReasons } from './counts.ts';
import { look } from './look.ts';
import { newMemory } from './memory.ts';
import { replaced } from './replace.ts';
import { round } from './round.ts';
import { scheduled } from './schedule.ts';
import type { WatchOptions, WatchTools } from './tools.ts';

/**
 * Watches a workflow until it ends, and recovers it where that is asked for. Returns the exit code.
 *
 * A recovery that was killed is completed first, although some of its allocations may wait or run already.
 *
 * Where it recovers, an allocation that is lost while others live is replaced at once if jobs wait; its own jobs follow in the
 * next round of recovery.
 *
 * A server or a controller that cannot be reached is waited for. It ends when a round of recovery raised nothing and the
 * same jobs failed for the same reasons without any other job having completed: the next round would be the same. It ends too
 * after some allocations in a row in which no job started, because whatever keeps jobs from them keeps them from the next ones.
 */
export async function watchWorkflow(tools: WatchTools, options: WatchOptions): Promise<number> {
  const memory = newMemory(options.recovers);
  for (;;) {
    try {
      const step = await look(tools, options, memory);
      if (memory.isAway) tools.report('info', 'The server answers again');
      memory.isAway = false;
      if (typeof step === 'object') return step.exitCode;
      const end = step === 'recover' ? await round(tools, options, memory) : undefined;
      if (end !== undefined) return end;
      if (step === 'replace') await replaced(tools, options, memory);
      if (step === 'schedule') {
        const { submitted, warnings } = await scheduled(tools, memory);
        if (submitted.length === 0 && !options.isPersistent) {
          tools.report('error', withReasons('No allocation could be submitted for the jobs that wait', warnings));
          return 1;
        }
      }
    } catch (error) {
      if (!isAway(error)) throw error;
      if (!memory.isAway) tools.report('warn', `${(error as Error).message}; trying again`);
      memory.isAway = true;
    }
    await tools.wait();
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof ServiceError && error.status >= 500);
