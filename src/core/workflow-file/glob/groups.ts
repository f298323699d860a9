import { someOf } from '../../quantity/count-text.ts';
import { globPath } from './glob.ts';
import type { GlobMatch } from './look.ts';

/** A match with the template of its paths. */
export interface Matched extends GlobMatch {
  readonly template: string;
}

/** Parameters whose values stand together, as in the names of files: only these combinations exist. */
export interface ValueGroup {
  readonly parameters: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Why two patterns disagree; undefined if they do not. Patterns that share parameters, as for the two files of a pair or a file for
 * each sample beside one for each lane, must say the same of them.
 */
export function disagreement(
  earlier: Matched,
  later: Matched,
): { readonly code: 'GLOB_REFUSED' | 'GLOB_UNMATCHED'; readonly message: string } | undefined {
  const shared = later.parameters.filter((name) => earlier.parameters.includes(name));
  if (shared.length === 0) return undefined;
  const [ownAlone, otherAlone] = [earlier, later].map(({ parameters }) =>
    parameters.filter((name) => !shared.includes(name)),
  ) as [string[], string[]];
  if (ownAlone.length > 0 && otherAlone.length > 0)
    return {
      code: 'GLOB_REFUSED',
      message: `is ambiguous: it gives values to '${shared[0]}' together with '${otherAlone[0]}', and glob '${earlier.glob}' together with '${ownAlone[0]}'; which belong together is unknown`,
    };
  const missing = [...missingIn(later, earlier, shared), ...missingIn(earlier, later, shared)];
  if (missing.length === 0) return undefined;
  const names = shared.map((name) => `'${name}'`).join(' and ');
  return {
    code: 'GLOB_UNMATCHED',
    message: `gives ${names} other values than glob '${earlier.glob}': ${someOf(missing)} ${missing.length === 1 ? 'is' : 'are'} missing`,
  };
}

/** Paths that one pattern lacks, for values that the other one found. */
function missingIn(match: Matched, other: Matched, shared: readonly string[]): string[] {
  const has = new Set(projected(match, shared).map(keyOf));
  return projected(other, shared)
    .filter((row) => !has.has(keyOf(row)))
    .map((row) => globPath(match, new Map(shared.map((name, at) => [name, row[at] as string]))));
}

/** The groups of patterns that agree: of those that share parameters the one with the most has all combinations. */
export function groupsOf(matches: readonly Matched[]): ValueGroup[] {
  const groups: Matched[] = [];
  for (const match of matches.toSorted((one, other) => other.parameters.length - one.parameters.length))
    if (!groups.some(({ parameters }) => parameters.includes(match.parameters[0] as string))) groups.push(match);
  return groups;
}

/** The combinations of some of the parameters, each once. */
export function projected({ parameters, rows }: ValueGroup, names: readonly string[]): string[][] {
  const at = names.map((name) => parameters.indexOf(name));
  const seen = new Map<string, string[]>();
  for (const row of rows) {
    const part = at.map((index) => row[index] as string);
    const key = keyOf(part);
    if (!seen.has(key)) seen.set(key, part);
  }
  return [...seen.values()];
}

/** Values contain no line breaks. */
const keyOf = (row: readonly string[]): string => row.join('\n');
