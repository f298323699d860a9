import type { Report } from '../conversion.ts';
import type { Target } from './database.ts';
import { namesATarget } from './asking.ts';
import type { MayExport, SecondLook } from './second-look.ts';

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

/** Variables of every recipe, whatever the makefile exports. */
export const isOfMake = (name: string): boolean =>
  /^(?:MAKE.*|MFLAGS|GNUMAKEFLAGS|PWD|OLDPWD|SHLVL|_|IFS|\.torc.*)$/.test(name);

/** Other names, such as those of functions of bash, make takes away, too, and bash cannot. */
export const isUnsettable = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !isOfMake(name);

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
  { environment, hasEnvironments }: SecondLook,
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
  for (const [name, value] of Object.entries(all)) if (namesATarget(value) || !isUnsettable(name)) leaveOut(name);
  const own = environment.get(job.target);
  if (own === undefined && hasEnvironments) leaveOut('of its own');
  if (own === undefined) return { set: {}, unset };
  const usual = { ...given, ...all };
  const set = Object.entries(own).filter(
    ([name, value]) => !isOfMake(name) && (value !== usual[name] || unset.includes(name)),
  );
  for (const [name, value] of set) if (namesATarget(value) || !isUnsettable(name)) leaveOut(name);
  const gone = Object.keys(usual).filter((name) => usual[name] !== undefined && isUnsettable(name));
  const absent = [...new Set([...unset, ...gone])].filter((name) => own[name] === undefined);
  return { set: Object.fromEntries(set), unset: absent };
}
