import { CAUSE_FIELDS, type CauseRules, readCauseRules } from '../../lifecycle/retry/cause-rules.ts';
import type { Draft } from '../link/draft.ts';
import { aboutEach } from '../expand/instances.ts';
import type { Complain } from '../problems/problems.ts';
import { checkRaises } from './raises.ts';

/** Checks what failure handlers say about causes: memory, time, nodes, pauses. */
export function checkFailureHandlers(draft: Draft, complain: Complain): void {
  const { spec, jobs, damaged } = draft;
  if (damaged.has('failure_handlers')) return;
  /** Handlers that raise a requirement, with the field that says so. */
  const raising = new Map<string, string>();
  const all: { readonly name: string; readonly rules: CauseRules }[] = [];
  for (const [index, handler] of (spec.failure_handlers ?? []).entries()) {
    const path = ['failure_handlers', index] as const;
    if (handler.rules === undefined && CAUSE_FIELDS.every((name) => handler[name] === undefined)) {
      const allowed = ['rules', ...CAUSE_FIELDS];
      complain({ code: 'FIELD_MISSING', message: 'missing field `rules`', path: [...path, 'rules'], allowed });
    }
    const rules = readCauseRules(handler, ({ path: within, message }) =>
      complain({
        code: 'HANDLER_REFUSED',
        message: `Failure handler '${handler.name}': ${message}`,
        path: [...path, ...within],
      }),
    );
    all.push({ name: handler.name, rules });
    const field = rules.memory !== undefined ? 'on_oom' : rules.time !== undefined ? 'on_timeout' : undefined;
    if (field !== undefined) raising.set(handler.name, field);
  }
  for (const family of jobs.families.all) {
    const { failure_handler: name, resource_requirements: requirements, timeout } = family.spec;
    const field = name === undefined ? undefined : raising.get(name);
    if (field === undefined || requirements !== undefined || family.count === 0) continue;
    // A timeout is not raised: the job gets another attempt.
    if (field === 'on_timeout' && (timeout ?? spec.execution_config?.timeout) !== undefined) continue;
    complain({
      code: 'HANDLER_REFUSED',
      ...aboutEach(
        family,
        (job) =>
          `Job '${job}' has no resource_requirements that ${field} of failure handler '${name}' could raise; name some in the job`,
      ),
      path: ['jobs', family.at, 'failure_handler'],
    });
  }
  checkRaises(draft, all, complain);
}
