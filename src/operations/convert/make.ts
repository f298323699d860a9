import { HelperFailed, type Outcome, runToEnd } from '../../cluster/exec.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Conversion } from '../../core/convert/conversion.ts';
import { convertMake, SUBMAKE } from '../../core/convert/make/convert.ts';

/** A makefile with a hundred thousand targets takes make less than a minute. */
const AT_MOST_MS = 300_000;

interface Makefile {
  readonly path: string;
  /** None for the default one. */
  readonly targets: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Converts a makefile with the user's own make, which only prints: it runs no recipe, but as always what it needs to read the
 * makefile, `$(shell …)` and rules for included files, and lines that begin with `+`.
 *
 * Throws: `CONVERSION_REFUSED` with the words of make if it refuses the makefile, or there is no GNU make.
 */
export async function convertMakefile({ path, targets, environment }: Makefile): Promise<Conversion> {
  const own = { ...environment, LC_ALL: 'C', MAKEFLAGS: undefined, MAKELEVEL: undefined, MFLAGS: undefined };
  const run = async (args: readonly string[], isDone: (end: Outcome) => boolean) => {
    const end = await runToEnd('make', ['-f', path, '--no-print-directory', ...args], {
      atMostMs: AT_MOST_MS,
      environment: own,
    }).catch(refuse);
    if (isDone(end)) return end.stdout;
    const why = end.isLate ? `it was stopped after ${AT_MOST_MS / 1000} s` : end.stderr.trim();
    throw new Refusal('CONVERSION_REFUSED', `${path}: make refuses it: ${why}`);
  };
  // If SHELL is not a shell, the line that prints the environment fails; the other facts are printed.
  const facts = readFacts(await run(['-s', '--eval', FACTS, FACTS_TARGET], ({ stdout }) => stdout.includes(MARK)), own);
  const goals = targets.length > 0 ? targets : facts.goals;
  if (goals.length === 0) throw new Refusal('CONVERSION_REFUSED', `${path}: it has no target`);
  // With -B make would remake included files, start again and forget -B.
  const old = facts.makefiles.flatMap((each) => ['-o', each]);
  const printed = await run(
    ['-n', '-B', '--trace', '-p', `MAKE=${SUBMAKE}`, ...old, '--', ...goals],
    ({ code, isLate }) => code === 0 && !isLate,
  );
  return convertMake({ makefile: path, goals, printed, shell: facts.shell, environment: facts.environment });
}

function refuse(error: unknown): never {
  if (!(error instanceof HelperFailed)) throw error;
  throw new Refusal(
    'CONVERSION_REFUSED',
    `a makefile is converted with your own make: ${error.message}`,
    {},
    { cause: error },
  );
}

/** Make does not take a target that begins with a dot for the default one. */
const FACTS_TARGET = '.torc-facts';
const MARK = 'torc-facts:';
const FACTS = `${FACTS_TARGET}: ; @${['SHELL', '.SHELLFLAGS', '.DEFAULT_GOAL', 'MAKEFILE_LIST']
  .map((name) => `$(info ${MARK}$(${name}))`)
  .join('')}env -0`;

/** Variables of every recipe, whatever the makefile exports. */
const OF_MAKE = /^(?:MAKE.*|MFLAGS|GNUMAKEFLAGS|PWD|OLDPWD|SHLVL|_|LC_ALL)$/;

interface Facts {
  readonly shell: { readonly program: string; readonly flags: string };
  /** The default goal; none in a makefile without a target. */
  readonly goals: readonly string[];
  readonly makefiles: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

function readFacts(text: string, given: Readonly<Record<string, string | undefined>>): Facts {
  const lines = text.slice(text.indexOf(MARK)).split('\n');
  const [program = '/bin/sh', flags = '-c', goal = '', files = ''] = lines
    .slice(0, 4)
    .map((line) => line.slice(MARK.length));
  const variables = lines
    .slice(4)
    .join('\n')
    .split('\0')
    .map((each) => /^([^=]+)=(.*)$/s.exec(each));
  const exported = variables.flatMap((match) => {
    const [, name = '', value = ''] = match ?? [];
    return name === '' || OF_MAKE.test(name) || given[name] === value ? [] : [[name, value] as const];
  });
  return {
    shell: { program, flags },
    goals: goal === '' ? [] : [goal],
    makefiles: files.split(/\s+/).filter((each) => each !== ''),
    environment: Object.fromEntries(exported),
  };
}
