import { readFileSync } from 'node:fs';
import type { Outcome } from '../../../cluster/exec.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { Conversion } from '../../../convert/conversion.ts';
import { SUBMAKE } from '../../../convert/make/command.ts';
import { convertMake } from '../../../convert/make/convert.ts';
import { exportsOf, factsFor, inEnglish, type MakeFacts, readFacts } from '../../../convert/make/facts.ts';
import { secondLookOf } from '../../../convert/make/second-look.ts';
import { FRAME } from '../../../convert/make/trace.ts';
import { askProgram } from './ask-program.ts';

const MAKE = {
  program: 'make',
  called: 'make',
  reads: 'a makefile',
  // A makefile with a hundred thousand targets takes make less than a minute.
  atMostMs: 300_000,
  // And prints 1.5 kB for each.
  atMostBytes: 2 ** 28,
  reasonOf: ({ stderr }: Outcome) =>
    /(?:unrecognized|invalid|illegal|unknown) option/.test(stderr)
      ? `GNU make 4.0 or newer is needed: ${stderr.trim().split('\n')[0] ?? ''}`
      : stderr.trim(),
};

interface Makefile {
  readonly path: string;
  /** None for the default one. */
  readonly targets: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Converts a makefile with the user's own make, which only prints: it runs no recipe, but as always what it needs to read the
 * makefile, `$(shell …)` and rules for included files, and lines that begin with `+` or have `$(MAKE)`.
 *
 * Throws: `CONVERSION_REFUSED` with the words of make if it refuses the makefile, or there is no GNU make.
 */
export async function convertMakefile({ path, targets, environment }: Makefile): Promise<Conversion> {
  const given = inEnglish(environment);
  const run = async (args: readonly string[], { input, isDone, variables = {} }: Asked = {}) => {
    // With more than one job, as a makefile may ask for, what lines print mixes with what make prints.
    const words = ['-f', path, '--no-print-directory', '-j1', ...args];
    return (await askProgram(path, { ...MAKE, environment: { ...given, ...variables }, input }, words, isDone)).stdout;
  };
  const askFacts = async (variables: Readonly<Record<string, string>>) =>
    readFacts(await run(factsFor(), { variables }));
  const facts = await askFacts({});
  const goals = targets.length > 0 ? targets : facts.goals;
  const [still] = /[nqt]/.exec(facts.flags) ?? [];
  if (still !== undefined)
    throw new Refusal('CONVERSION_REFUSED', `${path}: its MAKEFLAGS has ${still}, with which make runs no recipe`);
  if (goals.length === 0) throw new Refusal('CONVERSION_REFUSED', `${path}: it has no target`);
  // With -B make would remake included files, start again and forget -B.
  const old = facts.makefiles.flatMap((each) => ['-o', each]);
  // -i for lines that make runs also now: they may need what others make.
  const printOnly = ['-n', '-B', '-i', `MAKE=${SUBMAKE}`, ...old];
  const look = ['--trace', '--debug=v'];
  const frame = ['--eval', 'unexport IFS', '--eval', `IFS = ${FRAME}`];
  const printed = await run([...printOnly, ...look, '-p', ...frame, '--', ...goals]);
  const plain = await run([...printOnly, '--', ...goals]);
  const texts = textsOf(facts);
  const exported = await exportsOf(facts, texts, given, askFacts);
  const input = secondLookOf(printed, exported);
  const answer =
    input === undefined
      ? undefined
      : await run(['-f', '-', ...printOnly, ...look, '--', ...goals], { input, isDone: ({ isLate }) => !isLate });
  return convertMake({
    makefile: path,
    goals,
    printed,
    plain,
    answer,
    texts,
    flags: facts.flags,
    isIgnoredWithoutE: facts.isIgnoredWithoutE,
    environment: exported,
  });
}

interface Asked {
  readonly input?: string | undefined;
  readonly isDone?: ((outcome: Outcome) => boolean) | undefined;
  readonly variables?: Readonly<Record<string, string>>;
}

/** The makefiles; one that cannot be read any more, as a temporary one, is empty. */
const textsOf = ({ makefiles }: MakeFacts): string[] =>
  makefiles.map((file) => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return '';
    }
  });
