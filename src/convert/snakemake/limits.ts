import { isList, isMap, type Value } from '../../core/workflow-file/text/value.ts';
import { Unreadable } from '../../core/json/place.ts';
import { readYaml } from '../../core/workflow-file/text/yaml.ts';
import type { Report } from '../conversion.ts';
import type { Snakefile } from './rules.ts';

/** How much of a resource the jobs of a run may have at a time, by name: `license=4`. */
export type ResourceLimits = ReadonlyMap<string, number>;

/**
 * The limits of `--resources` that a profile names, and those that a Snakefile sets itself as `workflow.global_resources["license"] = 4` or
 * `workflow.global_resources.setdefault("license", 4)`. What stands on the command line of Snakemake is not known here.
 */
export function resourceLimits(
  files: readonly Snakefile[],
  profiles: readonly Snakefile[],
  report: Report,
): ResourceLimits {
  const limits = new Map(profiles.map((each) => limitsOfProfile(each, report)).findLast((each) => each.size > 0));
  for (const { path, text } of files)
    for (const [at, line] of text.split(/\r?\n/).entries()) {
      const [, indent, assigned, preset, written = ''] = SET.exec(line) ?? [];
      const name = assigned ?? preset;
      if (name === undefined) continue;
      const [, number] = /^(\d+)\s*\)?\s*(?:#.*)?$/.exec(written) ?? [];
      if (number === undefined || indent !== '')
        report.leaveOut(
          line.trim(),
          `a program decides about this limit: write limits: { ${name}: N } into the file`,
          at + 1,
          path,
        );
      else if (assigned !== undefined || !limits.has(name)) limits.set(name, Number(number));
    }
  return limits;
}

const SET =
  /^(\s*)workflow\.global_resources(?:\[\s*["'](\w+)["']\s*\]\s*=(?!=)|\.setdefault\(\s*["'](\w+)["']\s*,)\s*(.*)/;

function limitsOfProfile({ path, text }: Snakefile, report: Report): ResourceLimits {
  let profile: Value;
  try {
    ({ value: profile } = readYaml(text, () => {}));
  } catch (cause) {
    if (!(cause instanceof Unreadable)) throw cause;
    if (/^resources\s*:/m.test(text))
      report.leaveOut('resources', `the profile is no YAML (${cause.message})`, undefined, path);
    return new Map();
  }
  const given = isMap(profile) ? profile['resources'] : undefined;
  const pairs = isMap(given)
    ? Object.entries(given)
    : (isList(given) ? given : [given]).flatMap((each) =>
        typeof each === 'string' ? [each.split('=').map((part) => part.trim())] : [],
      );
  return new Map(
    pairs.flatMap(([name, amount]): [string, number][] => {
      const number = Number(amount ?? Number.NaN);
      return typeof name === 'string' && Number.isInteger(number) ? [[name, number]] : [];
    }),
  );
}
