import { durationFault } from '../../quantity/duration-fault.ts';
import { parseDuration } from '../../quantity/duration.ts';
import { readAmount } from '../../quantity/read-amount.ts';
import type { Draft } from '../link/draft.ts';
import { eachDistinct, templateOf } from '../expand/template.ts';
import type { Complain, ValuePath } from '../problems/problems.ts';
import { UNREAD } from '../shape/check.ts';
import { durationAdvice, durationDoubt } from './unit-advice.ts';

/** Reports timeouts that the server would refuse, and those that probably mean something else. */
export function checkTimeouts({ spec, jobs }: Draft, complain: Complain): void {
  const look = (text: string | undefined, path: ValuePath): void => {
    if (text === undefined || text === UNREAD) return;
    const fault = durationFault('timeout', text);
    const doubt = durationDoubt('timeout', text);
    if (fault !== undefined) {
      const plain = readAmount(text, parseDuration) === undefined ? { plain: durationAdvice('timeout', text) } : {};
      complain({ code: 'TIMEOUT_REFUSED', message: fault, path, found: text, ...plain });
    } else if (doubt !== undefined) complain({ code: 'UNIT_DOUBTFUL', message: doubt, path });
  };
  look(spec.execution_config?.timeout, ['execution_config', 'timeout']);
  for (const { spec: job, at, axes, count } of jobs.families.all) {
    if (job.timeout === undefined || count === 0) continue;
    const text = templateOf(job.timeout, axes);
    eachDistinct(text, axes, (combination) => look(text.render(combination), ['jobs', at, 'timeout']));
  }
}
