import { ServiceError, Unreachable } from '../../client/errors.ts';
import { withReasons } from './counts.ts';
import { IDLE_LOOK_MS } from './idle.ts';
import { look } from './look.ts';
import { type Memory, newMemory } from './memory.ts';
import { round } from './round.ts';
import { scheduled } from './schedule.ts';
import type { WatchOptions, WatchTools } from './tools.ts';
import { Refusal } from '../../core/contract/refusals.ts';

/**
 * Watches a workflow until it ends, and recovers it where that is asked for. Returns the exit code.
 *
 * A recovery that was killed is completed first, although some of its allocations may wait or run already.
 *
 * Where it recovers, an allocation that is lost while others live is replaced at once if jobs wait; its own jobs follow in the
 * next round of recovery.
 *
 * A server or a controller that cannot be reached is waited for. It ends when a round of recovery would be the same as the one
 * before (`core/lifecycle/recover/futile-round.ts`), and then it resets and submits nothing. It ends too after some allocations in a row
 * in which no job started, because whatever keeps jobs from them keeps them from the next ones.
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
    await tools.wait(memory.idleSinceMs === undefined ? undefined : IDLE_LOOK_MS);
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof ServiceError && error.status >= 500);

/** Another command that submits is waited for: the next look tries again. */
async function replaced(tools: WatchTools, { maxFruitless }: WatchOptions, memory: Memory): Promise<void> {
  const { lost } = memory;
  const names = lost.map(({ slurmJobId }) => slurmJobId);
  const hasStarted = await tools.hasStarted(names);
  const fruitless = hasStarted ? 0 : memory.fruitless + lost.length;
  if (maxFruitless > 0 && fruitless >= maxFruitless) {
    tools.report(
      'warn',
      `Lost allocation(s) ${names.join(', ')}, not replaced: no job started in ${fruitless} in a row`,
    );
  } else {
    try {
      const count = await tools.replace(lost);
      if (count > 0)
        tools.report('info', `Lost allocation(s) ${names.join(', ')}: ${count} more submitted for the jobs that wait`);
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'RECOVERY_ACTIVE')) throw error;
      return;
    }
  }
  memory.fruitless = fruitless;
  memory.lost = [];
}
