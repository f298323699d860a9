import type { Draft } from '../link/draft.ts';
import { aboutEach } from '../expand/instances.ts';
import { eachDistinct, templateOf } from '../expand/template.ts';
import type { Complain } from '../problems/problems.ts';
import { suggest } from '../problems/suggest.ts';

/** Checks that the resources, scheduler and failure handler named by jobs exist. */
export function checkBindings({ spec, jobs, damaged }: Draft, complain: Complain): void {
  const check = bindingCheck(jobs, complain);
  if (!damaged.has('resource_requirements')) {
    check(
      'resource_requirements',
      namesOf(spec.resource_requirements),
      (job, name) => `Job '${job}' references non-existent resource_requirements '${name}'`,
      (job, name) => `Resource requirements '${name}' not found for job '${job}'`,
    );
  }
  if (!damaged.has('slurm_schedulers')) {
    check(
      'scheduler',
      namesOf(spec.slurm_schedulers),
      (job, name) => `Job '${job}' references non-existent scheduler '${name}'`,
      (job, name) => `Scheduler '${name}' not found for job '${job}'`,
    );
  }
  if (!damaged.has('failure_handlers')) checkHandlers({ jobs }, namesOf(spec.failure_handlers), complain);
}

type Sentence = (job: string, name: string) => string;

const bindingCheck =
  ({ families }: Draft['jobs'], complain: Complain) =>
  (field: 'resource_requirements' | 'scheduler', known: ReadonlySet<string>, message: Sentence, creation: Sentence) => {
    for (const family of families.all) {
      const text = family.spec[field];
      if (text === undefined || family.count === 0 || known.has(text)) continue;
      const binding = templateOf(text, family.axes);
      eachDistinct(binding, family.axes, (combination) => {
        const name = binding.render(combination);
        if (known.has(name)) return;
        const job = family.name.render(combination);
        const suggestion = suggest(name, known);
        complain({
          code: 'REFERENCE_UNKNOWN',
          ...(binding.fixed === undefined
            ? { message: message(job, name) }
            : aboutEach(family, (one) => message(one, name))),
          creation: creation(job, name),
          path: ['jobs', family.at, field],
          found: name,
          ...allowedOf(known),
          ...(suggestion === undefined ? {} : { suggestion }),
        });
      });
    }
  };

function checkHandlers({ jobs }: Pick<Draft, 'jobs'>, known: ReadonlySet<string>, complain: Complain): void {
  for (const family of jobs.families.all) {
    const name = family.spec.failure_handler;
    if (name === undefined || family.count === 0 || known.has(name)) continue;
    const suggestion = suggest(name, known);
    complain({
      code: 'HANDLER_UNKNOWN',
      ...aboutEach(family, (job) => `Failure handler '${name}' not found for job '${job}'`),
      path: ['jobs', family.at, 'failure_handler'],
      found: name,
      ...allowedOf(known),
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  }
}

// A list of thousands is useless, and each of thousands of problems would repeat it.
const MOST_ALLOWED = 50;

const allowedOf = (known: ReadonlySet<string>): { allowed?: readonly string[] } =>
  known.size > MOST_ALLOWED ? {} : { allowed: [...known] };

const namesOf = (records: readonly { readonly name?: string }[] | undefined): ReadonlySet<string> =>
  new Set((records ?? []).flatMap(({ name }) => (name === undefined ? [] : [name])));
