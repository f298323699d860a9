import { Refusal } from '../../core/contract/refusals.ts';
import type { Log } from '../facts/log.ts';
import type { Scheduling } from '../facts/scheduling.ts';

/** Another command submits for this long at a time, usually; then its limits are asked again. */
const AGAIN_MS = 5_000;

/**
 * Submits allocations that are planned for the workflow: one has left the queue, because this runner has begun. It happens in
 * parallel with the jobs, and never keeps the runner from ending. `last` does so once more, when the allocation of this runner has ended for the
 * server: limits of nodes count it no more.
 */
export function startPlannedSubmissions(
  scheduling: Pick<Scheduling, 'submitPlanned'> | undefined,
  log: Log,
): { close(): void; last(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let isOpen = true;
  const submit = async () => {
    try {
      const submitted = (await scheduling?.submitPlanned()) ?? 0;
      if (submitted > 0) log.write('info', 'Planned allocations were submitted', { allocations: submitted });
    } catch (error) {
      if (error instanceof Refusal && error.code === 'RECOVERY_ACTIVE') {
        if (isOpen) timer = setTimeout(() => void submit(), AGAIN_MS).unref();
      } else log.write('warn', 'Planned allocations could not be submitted', { reason: (error as Error).message });
    }
  };
  void submit();
  return {
    last: submit,
    close() {
      isOpen = false;
      clearTimeout(timer);
    },
  };
}
