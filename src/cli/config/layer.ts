import { suggest } from '../../core/workflow-file/problems/suggest.ts';
import { found, isTable } from './kinds.ts';
import { keyAt, partsOf, type Path, paths } from './schema.ts';

/** The settings of one file or of the environment. */
export interface Layer {
  readonly values: ReadonlyMap<Path, Reported>;
  readonly problems: readonly ConfigurationProblem[];
  readonly warnings: readonly string[];
}

export interface Reported {
  readonly value: unknown;
  /** `torc.toml:3`, or the name of a variable. */
  readonly place: string;
  /** It stands in a file that its user does not trust: it does not count, and nothing else does in its place. */
  readonly waits?: Waiting;
}

/** The file whose keys wait until it is trusted. */
export interface Waiting {
  readonly path: string;
  /** It was trusted with other content. */
  readonly isChanged: boolean;
}

export interface ConfigurationProblem {
  /** The first section of the key, if we know it; an unreadable file concerns all sections. */
  readonly section: string | undefined;
  readonly text: string;
}

/** Collects the values of a layer, and their errors. */
export function createLayer() {
  const values = new Map<Path, Reported>();
  const problems: ConfigurationProblem[] = [];
  const warnings: string[] = [];
  return {
    values,
    problems,
    warnings,
    /** Lets the keys that may not come from any folder wait until the file is trusted. */
    wait(waits: Waiting): void {
      for (const [path, reported] of values) if (isGuarded(path)) values.set(path, { ...reported, waits });
    },
    /** Sets a key to a raw value; `placeOf` returns the place of a part of it. */
    set(path: Path, raw: unknown, placeOf: (inside: readonly string[]) => string): void {
      const { kind } = keyAt(path);
      const refuse = (inside: readonly string[], words: string) =>
        problems.push({
          section: partsOf(path)[0],
          text: `${placeOf(inside)}: ${[path, ...inside].join('.')}: ${words}`,
        });
      const value = kind.read(raw, (inside, words, isUnknown) => {
        if (isUnknown === true) warnings.push(`${placeOf(inside)}: unknown key ${[path, ...inside].join('.')}`);
        else refuse(inside, words);
      });
      if (value === undefined) refuse([], `expected ${kind.expected}, found ${found(raw)}`);
      // Shells and templates use an empty text for no value.
      else if (value !== '') values.set(path, { value, place: placeOf([]) });
    },
    unknown(key: string, place: string): void {
      warnings.push(`${place}: unknown key ${key}${hintOf(key)}`);
    },
    refuse(problem: ConfigurationProblem): void {
      problems.push(problem);
    },
  };
}

/** Whether a key counts in the file of a folder only if that file is trusted. */
export const isGuarded = (path: Path): boolean => keyAt(path).isFolders !== true;

export type OpenLayer = ReturnType<typeof createLayer>;

/** Visits the tables of a file: every known key is set, every other one is reported. */
export function setAll(
  layer: OpenLayer,
  tables: Readonly<Record<string, unknown>>,
  placeOf: (keys: readonly string[]) => string,
  above: readonly string[] = [],
): void {
  for (const [name, raw] of Object.entries(tables)) {
    const keys = [...above, name];
    const dotted = keys.join('.');
    const path = pathNamed(dotted);
    if (path !== undefined) layer.set(path, raw, (inside) => placeOf([...keys, ...inside]));
    else if (!paths.some((known) => known.startsWith(`${dotted}.`))) layer.unknown(dotted, placeOf(keys));
    else if (isTable(raw)) setAll(layer, raw, placeOf, keys);
    else
      layer.refuse({
        section: keys[0],
        text: `${placeOf(keys)}: ${dotted}: expected a section, found ${found(raw)}`,
      });
  }
}

/** The path of a key by its name or its other name. */
export function pathNamed(dotted: string): Path | undefined {
  return paths.find((path) => {
    if (path === dotted) return true;
    const { alias } = keyAt(path);
    return alias !== undefined && [...partsOf(path).slice(0, -1), alias].join('.') === dotted;
  });
}

function hintOf(key: string): string {
  const near = nearestOf(key);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

function nearestOf(key: string): string | undefined {
  const own = partsOf(key).at(-1) as string;
  const whole = suggest(key, paths);
  if (whole !== undefined) return whole;
  // The correct name in the wrong section.
  const elsewhere = paths.filter((path) => partsOf(path).at(-1) === own);
  if (elsewhere.length > 0) return elsewhere.join(' or ');
  return suggest(
    own,
    paths.filter((path) => path.startsWith(key.slice(0, -own.length))).map((path) => partsOf(path).at(-1) as string),
  );
}
