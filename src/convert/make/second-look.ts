import { ASKING, environmentRule, environmentsIn } from './asking.ts';
import { readDatabase } from './database.ts';
import { hidesPrefixes } from './prefixes.ts';
import { prefixOf, writtenLines } from './recipe.ts';
import { FRAME, readTrace, type RecipeStep } from './trace.ts';
import { isUnsettable } from './variable-names.ts';
import { varyingIn } from './varying.ts';

/** What only a second run of make shows of a target. */
export interface SecondLook {
  /** Targets have variables of their own that they may export. */
  readonly hasEnvironments: boolean;
  /** The variables that its recipe has in its environment. */
  readonly environment: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** May the value of a variable differ from recipe to recipe? */
  readonly varies: (name: string) => boolean;
  /** Such values of exported variables. */
  readonly values: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The lines of its recipe with their variables replaced and `@`, `-`, `+` before them, for each line as it was written. */
  readonly expanded: ReadonlyMap<string, readonly (readonly string[])[]>;
}

interface Exports {
  readonly mayExport: MayExport;
  /** What all recipes have. */
  readonly all: Readonly<Record<string, string>>;
}

/** May a variable with this name be exported? Without the word in the makefiles, only one of the environment is. */
export type MayExport = (name: string) => boolean;

const ENVIRONMENT = `${ASKING}-environment`;
const LINE = `${ASKING}-line`;
const RECIPE = `${ASKING}-recipe`;
const SHOW = `${ASKING}-show`;
const COUNT = `${ASKING}-count`;
const WHEN = `${ASKING}-when`;
const [BEGIN, VALUE, NEXT, STOP, END] = ['torc-expanded:', 'torc-value:', 'torc-next:', 'torc-stop:', 'torc-end:'];

/**
 * A makefile to read behind the user's, with `make -n`: it prints what the first run did not show. Undefined if there is no such
 * thing.
 *
 * - Variables of single targets: which of them are exported stands nowhere. A prerequisite inherits them with that, so each target
 *   gets one that prints its environment; `+` lets make run this line alone.
 * - Lines that begin with a variable: the `-` in its value is not printed.
 * - Exported values with automatic variables in them (`$@`).
 */
export function secondLookOf(printed: string, { mayExport, all }: Exports): string | undefined {
  const { steps, database } = readTrace(printed);
  const { targets, ownVariables } = readDatabase(database);
  const names = namesIn(steps);
  const printedFor = new Map<string, number>();
  const framesBefore = new Map<string, number>();
  for (const { target, lines, framesBefore: before } of steps) {
    printedFor.set(target, (printedFor.get(target) ?? 0) + lines.length);
    if (!framesBefore.has(target)) framesBefore.set(target, before);
  }
  const environments = [...ownVariables].some(mayExport)
    ? names.flatMap((name, at) => {
        const own = `${ENVIRONMENT}-${at}`;
        const colon = targets.get(name)?.isDoubleColon === true ? '::' : ':';
        return [`${ruleName(name)}${colon} | ${own}`, ...environmentRule(own)];
      })
    : [];
  const varies = varyingIn(database);
  const varying = [...new Set([...Object.keys(all), ...[...ownVariables].filter(mayExport)])].filter(
    (name) => isUnsettable(name) && varies(name),
  );
  const recipes = names.flatMap((name, at) => {
    const lines = writtenLines(targets.get(name)?.recipe ?? []);
    const isHiding = hidesPrefixes(lines, printedFor.get(name) ?? 0);
    if (!SIMPLE_NAME.test(name) || (!isHiding && varying.length === 0)) return [];
    const shown = isHiding ? lines : [];
    const texts = shown.map((line, number) => `define ${LINE}-${at}-${number}\n${line}\nendef`);
    const infos = [
      ...varying.map((each) => `${VALUE}${each}:$(${each})`),
      ...shown.map((_, number) => `${NEXT}$(${LINE}-${at}-${number})`),
    ].map((text) => `$(info ${text})$(info ${STOP})`);
    const when = `${WHEN}-${name} = ${(framesBefore.get(name) ?? 0) + 1}`;
    return [...texts, when, `${RECIPE}-${name} = $(info ${BEGIN}${name})${infos.join('')}$(info ${END})`];
  });
  if (environments.length + recipes.length === 0) return undefined;
  return [...recipes, ...environments, 'unexport IFS', `${SHOW} = ${framed}`, `IFS = $(${SHOW})`, ''].join('\n');
}

/**
 * The frame, and once for each target what is shown of it: with its first line, when the values in its recipe are expanded. Make expands
 * IFS for $(shell …) as well, before that and within what is shown; a variable that refers to itself ends make, so IFS is empty then.
 */
const framed = [
  '$(eval IFS :=)',
  `$(eval ${COUNT}-$@ += x)$(if $(filter $(${WHEN}-$@),$(words $(${COUNT}-$@))),$(${RECIPE}-$@))`,
  FRAME,
  `$(eval IFS = $$(${SHOW}))`,
].join('');

const namesIn = (steps: readonly RecipeStep[]): string[] => [
  ...new Set(steps.filter(({ lines }) => lines.length > 0).map(({ target }) => target)),
];

/** Other names cannot be written as a part of the name of a variable. */
const SIMPLE_NAME = /^[\w./+@~,-]+$/;

const ruleName = (name: string): string => name.replaceAll('$', '$$$$').replaceAll(/[\s#:%=;|\\]/g, String.raw`\$&`);

/** Reads what make prints for the second look at the targets of the first run. */
export function readSecondLook(printed: string, answer: string, mayExport: MayExport): SecondLook {
  const { steps, database } = readTrace(printed);
  const names = namesIn(steps);
  const asked = environmentsIn(answer);
  const environment = new Map(
    names.flatMap((name, at) => {
      const variables = asked.get(`${ENVIRONMENT}-${at}`);
      return variables === undefined ? [] : [[name, variables] as const];
    }),
  );
  const blocks = [...answer.matchAll(/^torc-expanded:(.*)\n([^]*?)^torc-end:$/gm)].map(
    ([, name = '', text = '']) => [name, text] as const,
  );
  const values = new Map(
    blocks.map(([name, text]) => [
      name,
      Object.fromEntries(
        [...text.matchAll(/^torc-value:(\w+):([^]*?)\ntorc-stop:$/gm)].map(([, each = '', value = '']) => [
          each,
          value,
        ]),
      ),
    ]),
  );
  const expanded = new Map(
    blocks.flatMap(([name, text]) => {
      // What $(info) in a line prints stands before it.
      const lines = [...text.matchAll(/^torc-next:([^]*?)\ntorc-stop:$/gm)];
      return lines.length === 0 ? [] : [[name, lines.map(([, each = '']) => linesIn(each))] as const];
    }),
  );
  const hasEnvironments = [...readDatabase(database).ownVariables].some(mayExport);
  return { hasEnvironments, environment, varies: varyingIn(database), values, expanded };
}

const linesIn = (text: string): string[] =>
  writtenLines(text.split('\n')).filter((line) => line.slice(prefixOf(line).length).trim() !== '');
