import type { Draft } from '../draft.ts';
import { aboutEach } from '../expand/instances.ts';
import type { Complain, ValuePath } from '../problems.ts';
import type { Sequence } from '../sequence.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Checks that names of environment variables are valid in a shell. */
export function checkEnvironment({ spec, jobs }: Draft, complain: Complain): void {
  const sentence = (name: string): string =>
    `invalid environment variable name '${name}'; expected a letter or underscore, then letters, digits and underscores`;
  const check = (
    env: Readonly<Record<string, string>> | undefined,
    at: ValuePath,
    about: (name: string) => { message: string; echoes?: Sequence<string> },
  ): void => {
    for (const name of Object.keys(env ?? {})) {
      if (!NAME.test(name))
        complain({ code: 'ENV_NAME_MALFORMED', ...about(name), path: [...at, name], atKey: true, found: name });
    }
  };
  check(spec.env, ['env'], (name) => ({ message: sentence(name) }));
  for (const family of jobs.families.all) {
    if (family.count === 0) continue;
    check(family.spec.env, ['jobs', family.at, 'env'], (name) =>
      aboutEach(family, (job) => `Job '${job}': ${sentence(name)}`),
    );
  }
}
