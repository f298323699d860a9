import type { Draft } from '../link/draft.ts';
import { aboutEach } from '../expand/instances.ts';
import type { Complain, ValuePath } from '../problems/problems.ts';
import type { Sequence } from '../../lists/sequence.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What a shell would replace: `$PATH`, `${HOME}`, `$(nproc)`, `~/bin`, `%USERPROFILE%`. */
const FOR_A_SHELL = /\$\{?[A-Z_][A-Z0-9_]*|\$\(|(?:^|:)~(?=[/:]|$)|%[A-Z][A-Z0-9_]*%/;

/** Checks that names of environment variables are valid in a shell, and warns of values that only a shell would replace. */
export function checkEnvironment({ spec, jobs }: Draft, complain: Complain): void {
  const sentence = (name: string): string =>
    `invalid environment variable name '${name}'; expected a letter or underscore, then letters, digits and underscores`;
  const check = (
    env: Readonly<Record<string, string>> | undefined,
    at: ValuePath,
    about: (name: string) => { message: string; echoes?: Sequence<string> },
  ): void => {
    for (const [name, value] of Object.entries(env ?? {})) {
      const [found] = FOR_A_SHELL.exec(value) ?? [];
      if (found !== undefined)
        complain({ code: 'ENV_NOT_EXPANDED', message: unexpanded(name, value), path: [...at, name], found: value });
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

const unexpanded = (name: string, value: string): string =>
  `the job gets ${JSON.stringify(value)} as it is written, since no shell reads \`env\`; for a value that the shell makes, begin the command with export ${name}="…"`;
