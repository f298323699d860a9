import { type CauseRules, type Raise } from '../../lifecycle/retry/cause-rules.ts';
import { memoryAmountText } from '../../lifecycle/retry/cause-verdict.ts';
import { parseMemory } from '../../quantity/bytes.ts';
import { formatDuration, parseDuration } from '../../quantity/duration.ts';
import { readAmount } from '../../quantity/read-amount.ts';
import type { Draft } from '../link/draft.ts';
import { templateOf } from '../expand/template.ts';
import type { Complain } from '../problems/problems.ts';
import type { ResourceRequirementsSpec } from '../shape/workflow.ts';

interface Handler {
  readonly name: string;
  readonly rules: CauseRules;
}

/**
 * Warns of a `max` that a failure handler reaches with the first raise, or that its jobs have already: then it gives them
 * less than its factor says, or nothing. Once for a handler and requirements, however many jobs name both.
 */
export function checkRaises({ spec, jobs }: Draft, handlers: readonly Handler[], complain: Complain): void {
  const numbers = new Map(handlers.map(({ name }, index) => [name, index]));
  const requirements = new Map((spec.resource_requirements ?? []).map((record) => [record.name, record]));
  const reported = new Set<string>();
  const check = (index: number, named: string): void => {
    const record = requirements.get(named);
    if (record === undefined || reported.has(`${index} ${named}`)) return;
    reported.add(`${index} ${named}`);
    const { name, rules } = handlers[index] as Handler;
    for (const { field, message } of limitedRaises(rules, record))
      complain({
        code: 'RAISE_LIMITED',
        message: `Failure handler '${name}': ${message}`,
        path: ['failure_handlers', index, field, 'max'],
      });
  };
  for (const { spec: job, axes, count } of jobs.families.all) {
    const index = numbers.get(job.failure_handler ?? '');
    if (index === undefined || job.resource_requirements === undefined || !hasMax((handlers[index] as Handler).rules))
      continue;
    const named = templateOf(job.resource_requirements, axes);
    for (let at = 0; at < (named.fixed === undefined ? count : Math.min(1, count)); at += 1)
      check(index, named.render(at));
  }
}

const hasMax = ({ memory, time }: CauseRules): boolean => memory?.max !== undefined || time?.max !== undefined;

interface Limited {
  readonly field: 'on_oom' | 'on_timeout';
  readonly message: string;
}

/** The raises of a handler that its own `max` cuts off, for jobs with these requirements. */
function limitedRaises(
  { memory, time }: Pick<CauseRules, 'memory' | 'time'>,
  record: Pick<ResourceRequirementsSpec, 'name' | 'memory' | 'runtime'>,
): Limited[] {
  const found: Limited[] = [];
  const look = (
    field: Limited['field'],
    raise: Raise | undefined,
    had: number | undefined,
    shown: (amount: number) => string,
  ): void => {
    if (raise?.max === undefined || had === undefined) return;
    const { factor, max } = raise;
    const jobs = `jobs with resource_requirements '${record.name}' ask for ${shown(had)}`;
    if (had >= max)
      found.push({ field, message: `${jobs}, and max is ${shown(max)}: ${field} never gives them more; raise max` });
    else if (had * factor > max)
      found.push({
        field,
        message: `${jobs}, and x${factor} of that is more than max: they get ${shown(max)} and no second raise; raise max to give them what the factor says`,
      });
  };
  // Another check reports an amount that cannot be read.
  look('on_oom', memory, readAmount(record.memory, parseMemory), memoryAmountText);
  look('on_timeout', time, readAmount(record.runtime, parseDuration), formatDuration);
  return found;
}
