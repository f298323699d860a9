import type { Draft } from '../link/draft.ts';
import { aboutEach } from '../expand/instances.ts';
import type { Complain } from '../problems/problems.ts';
import { bindProblem } from '../surroundings/bind.ts';

/** A job runs in a container or in an environment of the machine, and has no second script before its command. */
export function checkSurroundings({ jobs }: Draft, complain: Complain): void {
  for (const family of jobs.families.all) {
    const { container, conda, module, invocation_script: script } = family.spec;
    const refuse = (field: string, why: string) =>
      complain({
        code: 'SURROUNDINGS_REFUSED',
        ...aboutEach(family, (job) => `Job '${job}': ${why}`),
        path: ['jobs', family.at, field],
        atKey: true,
      });
    const given = { container, conda, module };
    const [first] = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (script !== undefined && first !== undefined)
      refuse(first, `invocation_script and ${first} both say what is before the command; use one of them`);
    if (container !== undefined && conda !== undefined)
      refuse('conda', 'an environment of the machine is not in a container; use an image that has it');
    if (container?.image.trim() === '') refuse('container', 'the image is an empty text');
    for (const bind of container?.binds ?? []) {
      const problem = bindProblem(bind);
      if (problem !== undefined) refuse('container', `the bind ${problem}`);
    }
    for (const name of ['conda', 'module'] as const)
      if (given[name]?.trim() === '') refuse(name, `${name} is an empty text`);
  }
}
