import type { RecipeEnvironment } from './environment.ts';
import { isOfMake, isUnsettable } from './variable-names.ts';
import { ASKING, environmentRule, environmentsIn } from './asking.ts';

/** What make knows when it has read a makefile. */
export interface MakeFacts {
  /** The default goal; none in a makefile without a target. */
  readonly goals: readonly string[];
  readonly makefiles: readonly string[];
  /** The single letters of MAKEFLAGS that the makefile sets. */
  readonly flags: string;
  /** A line of a recipe whose failure is ignored gets -c where others get -ec: with `.POSIX`, from GNU make 4.4 on. */
  readonly isIgnoredWithoutE: boolean;
  /** The environment of a recipe. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Make does not take a target that begins with a dot for the default one. */
const TARGET = `${ASKING}-facts`;
const MARK = 'torc-facts:';
const IGNORED = `${ASKING}-ignored`;
const GOES_ON = 'torc-goes-on';

/** The arguments with which make prints the facts: a target that prints them, added to the makefile. */
export function factsFor(): string[] {
  const facts = ['.DEFAULT_GOAL', 'MAKEFILE_LIST', 'MAKEFLAGS'].map((name) => `$(info ${MARK}$(${name}))`).join('');
  const rules = [`${IGNORED}: ; -@false; echo ${GOES_ON}`, ...environmentRule(TARGET, facts)];
  return ['-s', '--debug=v', ...rules.flatMap((rule) => ['--eval', rule]), IGNORED, TARGET];
}

export function readFacts(text: string): MakeFacts {
  // Make that starts itself again prints its arguments.
  const [goal = '', files = '', flags = ''] = [...text.matchAll(/^torc-facts:(.*)$/gm)]
    .slice(-3)
    .map(([, each]) => each);
  // Some makefiles set MAKEFILE_LIST themselves.
  const read = [...text.matchAll(/^ *Reading makefile '(.*)'(?: \(.*\))?\.\.\.$/gm)].map(([, file = '']) => file);
  return {
    goals: goal === '' ? [] : [goal],
    makefiles: [...new Set([...files.split(/\s+/).filter((each) => each !== ''), ...read])],
    // The letter s is ours.
    flags: (/^[A-Za-z]*/.exec(flags)?.[0] ?? '').replaceAll(/[^eiknqrRt]/g, ''),
    isIgnoredWithoutE: text.split('\n').includes(GOES_ON),
    environment: environmentsIn(text).get(TARGET) ?? {},
  };
}

type Variables = Readonly<Record<string, string | undefined>>;

/** What the makefile changes in the environment of all recipes. */
export async function exportsOf(
  { environment }: MakeFacts,
  texts: readonly string[],
  given: Variables,
  ask: (variables: Readonly<Record<string, string>>) => Promise<MakeFacts>,
): Promise<RecipeEnvironment> {
  const isExporting = texts.some((text) => /\bexport\b|\.EXPORT_ALL_VARIABLES/.test(text));
  const all = Object.entries(environment).filter(([name, value]) => !isOfMake(name) && given[name] !== value);
  const gone = Object.keys(given).filter(
    (name) => given[name] !== undefined && environment[name] === undefined && isUnsettable(name),
  );
  // The machine that runs the jobs may have a variable that this one has not.
  const named = texts
    .flatMap((text) => [...text.matchAll(/^ *unexport\s+([^#\n]*)/gm)].flatMap(([, names = '']) => names.split(/\s+/)))
    .filter((name) => isUnsettable(name) && given[name] === undefined && environment[name] === undefined);
  const probe = Object.fromEntries(named.map((name) => [name, 'torc']));
  const probed = named.length === 0 ? {} : (await ask(probe)).environment;
  return {
    all: Object.fromEntries(all),
    unset:
      Object.keys(environment).length === 0 ? [] : [...gone, ...named.filter((name) => probed[name] === undefined)],
    given,
    mayExport: (name) => isExporting || given[name] !== undefined,
    mayExportPrivate: texts.some((text) =>
      /\bprivate\b[^\n]*\bexport\b|\bexport\b[^\n]*\bprivate\b|^ *export\s*$|\.EXPORT_ALL_VARIABLES/m.test(text),
    ),
  };
}

/** The environment for make to speak English: of the variables of the language, the one that makefiles do not look at. */
export function inEnglish(given: Variables): Variables {
  const language = given['LC_ALL'] || given['LC_MESSAGES'] || given['LANG'] || 'C';
  const isEnglish = /^(?:C|POSIX|en)(?![A-Za-z])/.test(language) && (given['LANGUAGE'] ?? '') === '';
  return {
    ...given,
    ...(isEnglish ? {} : { LANGUAGE: 'en' }),
    MAKEFLAGS: undefined,
    MAKELEVEL: undefined,
    MFLAGS: undefined,
  };
}
