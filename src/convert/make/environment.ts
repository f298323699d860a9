import type { Report } from '../conversion.ts';
import type { Target } from './database.ts';
import type { MayExport, SecondLook } from './second-look.ts';
import { isOfMake, isUnsettable } from './variable-names.ts';

/** The environment that a makefile gives to its recipes. */
export interface RecipeEnvironment {
  /** What it gives to all of them. */
  readonly all: Readonly<Record<string, string>>;
  /** What it takes from all of them. */
  readonly unset: readonly string[];
  /** The environment in which make was asked. */
  readonly given: Readonly<Record<string, string | undefined>>;
  readonly mayExport: MayExport;
  /** A variable that is private may be exported, too. */
  readonly mayExportPrivate: boolean;
}

/** What all recipes have with the same value. */
export const forAll = ({ all }: RecipeEnvironment, { varies }: SecondLook): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !varies(name)));

interface Differences {
  readonly set: Readonly<Record<string, string>>;
  readonly unset: readonly string[];
}

/** How the environment of a recipe differs from the one of all recipes: by variables of its target, or of those that need it. */
export function differencesOf(
  job: {
    readonly target: string;
    readonly steps: readonly { readonly file: string; readonly line: number | undefined }[];
  },
  targets: ReadonlyMap<string, Target>,
  { environment, hasEnvironments, varies, values }: SecondLook,
  { all, unset, given, mayExportPrivate }: RecipeEnvironment,
  report: Report,
): Differences {
  const [{ file, line } = { file: undefined, line: undefined }] = job.steps;
  const leaveOut = (name: string) =>
    report.leaveOut(
      `the variable ${name} of ${job.target}`,
      'its value in the environment of the recipe cannot be seen; set it in env of the job',
      line,
      file,
    );
  for (const name of targets.get(job.target)?.privates ?? [])
    if (mayExportPrivate || name in all || given[name] !== undefined) leaveOut(name);
  const usual = { ...given, ...all };
  const valueOf = (name: string, value: string): string => {
    const own = varies(name) ? values.get(job.target)?.[name] : value;
    // A job of several double-colon rules has one environment.
    if (own === undefined || !isUnsettable(name) || (varies(name) && job.steps.length > 1)) leaveOut(name);
    return own ?? value;
  };
  const own = environment.get(job.target);
  if (own === undefined && hasEnvironments) leaveOut('of its own');
  const set = Object.entries(own ?? all).flatMap(([name, value]) => {
    const isUsual = value === usual[name] && !varies(name) && (own === undefined || !unset.includes(name));
    // What is in the environment of make and not changed goes to the recipe as it is.
    const isOwn = name in all || value !== given[name];
    return isOfMake(name) || isUsual || !isOwn ? [] : [[name, valueOf(name, value)] as const];
  });
  const gone =
    own === undefined ? [] : Object.keys(usual).filter((name) => usual[name] !== undefined && isUnsettable(name));
  const absent = [...new Set([...unset, ...gone])].filter((name) => own?.[name] === undefined);
  return { set: Object.fromEntries(set), unset: absent };
}
