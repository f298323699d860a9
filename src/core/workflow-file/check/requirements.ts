import { Refusal } from '../../contract/refusals.ts';
import { parseMemory } from '../../quantity/bytes.ts';
import { parseDuration } from '../../quantity/duration.ts';
import type { Draft } from '../link/draft.ts';
import type { Complain, ValuePath } from '../problems/problems.ts';
import { UNREAD } from '../shape/check.ts';
import { durationAdvice, durationDoubt, memoryAdvice, memoryDoubt } from './unit-advice.ts';

/** Reports what the server would refuse when records are created, before anything is created. */
export function checkRequirements({ spec, jobs }: Draft, complain: Complain): void {
  for (const [index, requirements] of (spec.resource_requirements ?? []).entries()) {
    const { name, num_cpus: cpus, num_nodes: nodes, memory, runtime } = requirements;
    const path = (field: string): ValuePath => ['resource_requirements', index, field];
    const refuse = (field: string, message: string, plain?: string): void =>
      complain({
        code: 'REQUIREMENT_REFUSED',
        message,
        path: path(field),
        ...(plain === undefined ? {} : { plain }),
      });
    const doubt = (field: string, message: string | undefined): void => {
      if (message !== undefined) complain({ code: 'UNIT_DOUBTFUL', message, path: path(field) });
    };
    if (name === 'default') refuse('name', "resource_requirements name 'default' is reserved");
    if (cpus <= 0) refuse('num_cpus', 'num_cpus must be > 0');
    if (nodes !== undefined && nodes <= 0) refuse('num_nodes', 'num_nodes must be > 0');
    if (memory !== UNREAD)
      reportRefusal(
        () => doubt('memory', memoryDoubt('memory', memory, parseMemory(memory))),
        (message) => refuse('memory', message, memoryAdvice('memory', memory)),
      );
    if (runtime !== undefined && runtime !== UNREAD)
      reportRefusal(
        () => {
          parseDuration(runtime);
          doubt('runtime', durationDoubt('runtime', runtime));
        },
        (message) => refuse('runtime', message, durationAdvice('runtime', runtime)),
      );
  }
  for (const { spec: job, name, at, count } of jobs.families.all) {
    const { priority } = job;
    if (priority === undefined || priority >= 0 || count === 0) continue;
    const path: ValuePath = ['jobs', at, 'priority'];
    const message = `priority must be >= 0, got ${priority} for job '${name.render(0)}'`;
    complain({ code: 'PRIORITY_NEGATIVE', message, path, found: String(priority), allowed: ['0 or more'] });
  }
}

function reportRefusal(read: () => unknown, report: (message: string) => void): void {
  try {
    read();
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    report(cause.message);
  }
}
