import { Refusal } from '../../core/contract/refusals.ts';
import type { Memory } from './memory.ts';
import type { WatchOptions, WatchTools } from './tools.ts';

/** Another command that submits is waited for: the next look tries again. */
export async function replaced(tools: WatchTools, { maxFruitless }: WatchOptions, memory: Memory): Promise<void> {
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
