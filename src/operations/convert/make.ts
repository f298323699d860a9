import type { Outcome } from '../../cluster/exec.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Conversion } from '../../core/convert/conversion.ts';
import { convertMake, SUBMAKE } from '../../core/convert/make/convert.ts';
import { askProgram } from './ask-program.ts';

const MAKE = {
  program: 'make',
  called: 'make',
  reads: 'a makefile',
  // A makefile with a hundred thousand targets takes make less than a minute.
  atMostMs: 300_000,
  reasonOf: ({ stderr }: Outcome) => stderr.trim(),
};

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
  const run = async (args: readonly string[], isDone?: (outcome: Outcome) => boolean) => {
    const words = ['-f', path, '--no-print-directory', ...args];
    return (await askProgram(path, { ...MAKE, environment: own }, words, isDone)).stdout;
  };
  // If SHELL is not a shell, the line that prints the environment fails; the other facts are printed.
  const facts = readFacts(await run(['-s', '--eval', FACTS, FACTS_TARGET], ({ stdout }) => stdout.includes(MARK)), own);
  const goals = targets.length > 0 ? targets : facts.goals;
  if (goals.length === 0) throw new Refusal('CONVERSION_REFUSED', `${path}: it has no target`);
  // With -B make would remake included files, start again and forget -B.
  const old = facts.makefiles.flatMap((each) => ['-o', each]);
  const printed = await run(['-n', '-B', '--trace', '-p', `MAKE=${SUBMAKE}`, ...old, '--', ...goals]);
  return convertMake({ makefile: path, goals, printed, shell: facts.shell, environment: facts.environment });
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
