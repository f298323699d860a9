import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { type Found, readFound, readNamed } from '../../cluster/found-file.ts';
import {
  createLayer,
  isGuarded,
  type Layer,
  type OpenLayer,
  pathNamed,
  type ConfigurationProblem,
  setAll,
  type Reported,
} from './layer.ts';
import { builtIn, type Configuration, keyAt, type Path, paths } from './schema.ts';
import { notTrusted } from './not-trusted.ts';
import { trustIn } from './trust-records.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The combined settings of files and environment, their errors, and the origin of each value. */
export interface Reading {
  /** Reading a key that waits until its file is trusted throws `CONFIG_NOT_TRUSTED`. */
  readonly configuration: Configuration;
  readonly reported: ReadonlyMap<Path, Reported>;
  readonly problems: readonly ConfigurationProblem[];
  readonly warnings: readonly string[];
  /** Why files do not count that another user may have written. */
  readonly ignored: readonly string[];
}

export type Role = 'system' | 'user' | 'local';

interface Place {
  readonly role: Role;
  readonly path: string;
  /** A variable names the file itself. */
  readonly isNamed?: boolean;
}

/** The places of configuration files; later ones have precedence. */
export function configurationPlaces(environment: Environment, cwd: string): Place[] {
  const system = environment['TORC_SYSTEM_CONFIG'] || undefined;
  const xdg = environment['XDG_CONFIG_HOME'] ?? '';
  const home = environment['HOME'] ?? homedir();
  return [
    { role: 'system', path: system ?? '/etc/torc/config.toml', isNamed: system !== undefined },
    { role: 'user', path: join(isAbsolute(xdg) ? xdg : join(home, '.config'), 'torc', 'config.toml') },
    { role: 'local', path: join(cwd, 'torc.toml') },
  ];
}

/** Reads the existing files and the environment. Without files, no TOML parser is loaded. */
export async function readConfiguration(environment: Environment, cwd: string): Promise<Reading> {
  const layers: Layer[] = [];
  const ignored: string[] = [];
  for (const place of configurationPlaces(environment, cwd)) {
    const { role, path } = place;
    const found = lookUp(place);
    if (found.kind === 'refused')
      ignored.push(`${nameOf(path, cwd)} is ignored: ${found.why}; a file of yours that others cannot write counts`);
    else if (found.kind !== 'nothing') layers.push(await fileLayer({ role, path, found }, cwd, environment));
  }
  return together([...layers, environmentLayer(environment)], ignored);
}

/**
 * Reads a file at its place. Its group may write it: in the file of a folder that is noticed, as what is trusted is its content,
 * and in the others the owner wanted it, since usual umasks let a group write that has the user alone.
 */
export function lookUp({ path, isNamed }: Omit<Place, 'role'>): Found | Unreadable {
  try {
    return isNamed === true ? readNamed(path) : readFound(path, { groupMayWrite: true });
  } catch (error) {
    return { kind: 'unreadable', error: error as Error };
  }
}

interface Unreadable {
  readonly kind: 'unreadable';
  readonly error: Error;
}

/** The settings of the environment alone. */
export const readEnvironment = (environment: Environment): Reading => together([environmentLayer(environment)], []);

function together(layers: readonly Layer[], ignored: readonly string[]): Reading {
  const reported = new Map(layers.flatMap(({ values }) => [...values]));
  const configuration: Record<string, unknown> = { ...builtIn };
  for (const [path, { value, place, waits }] of reported) {
    if (waits === undefined) configuration[path] = value;
    else
      Object.defineProperty(configuration, path, {
        enumerable: true,
        get() {
          throw notTrusted(path, place, waits);
        },
      });
  }
  return {
    configuration: configuration as Configuration,
    reported,
    problems: layers.flatMap(({ problems }) => problems),
    warnings: layers.flatMap(({ warnings }) => warnings),
    ignored,
  };
}

async function fileLayer({ role, path, found }: LookedUp, cwd: string, environment: Environment): Promise<Layer> {
  const layer = createLayer();
  const name = nameOf(path, cwd);
  const { parse, TomlError } = await import('smol-toml');
  try {
    if (found.kind === 'unreadable') throw found.error;
    const toml = found.text;
    setAll(layer, parse(toml), (keys) => {
      const line = lineOf(toml, keys);
      return line === undefined ? name : `${name}:${line}`;
    });
    if (role === 'local' && [...layer.values.keys()].some(isGuarded)) {
      const trust = trustIn(path, toml, environment);
      if (trust !== 'trusted') layer.wait({ path, isChanged: trust === 'changed' });
    }
  } catch (error) {
    const isSyntax = error instanceof TomlError;
    const { message } = error as Error;
    layer.refuse({
      section: undefined,
      text: isSyntax
        ? `${name}:${error.line}:${error.column}: not TOML: ${message.replace(/^Invalid TOML document: /, '')}`
        : `${name}: cannot be read: ${message}`,
    });
  }
  return layer;
}

/** The keys of a file that count only if it is trusted, with their lines. */
export async function guardedIn(path: string, text: string): Promise<string[]> {
  const found = { kind: 'text', text } as const;
  const { values } = await fileLayer({ role: 'user', path, found }, dirname(path), {});
  return [...values].flatMap(([key, { place }]) => (isGuarded(key) ? [`${key} (${place})`] : []));
}

interface LookedUp {
  readonly role: Role;
  readonly path: string;
  readonly found: Exclude<ReturnType<typeof lookUp>, { readonly kind: 'nothing' | 'refused' }>;
}

/** The path as a user in the folder would write it. */
function nameOf(path: string, cwd: string): string {
  const near = relative(cwd, path);
  return near.startsWith('..') ? path : near;
}

function environmentLayer(environment: Environment): Layer {
  const layer = createLayer();
  for (const [variable, text] of Object.entries(environment)) {
    if (text === undefined || !variable.startsWith('TORC_') || !variable.includes('__')) continue;
    const dotted = variable.slice('TORC_'.length).toLowerCase().replaceAll('__', '.');
    const path = pathNamed(dotted);
    if (path === undefined) layer.unknown(dotted, variable);
    else if (text !== '') layer.set(path, text, () => variable);
  }
  for (const path of paths) setDirectly(layer, path, environment);
  return layer;
}

function setDirectly(layer: OpenLayer, path: Path, environment: Environment): void {
  const { variable, isShared, kind } = keyAt(path);
  const text = variable === undefined ? undefined : environment[variable];
  if (variable === undefined || text === undefined || text === '') return;
  if (isShared === true && kind.read(text, () => {}) === undefined) return;
  layer.set(path, text, () => variable);
}

/**
 * The line of a TOML text on which a key is set, or its table begins; undefined if it cannot be determined.
 *
 * The parser returns values without their places. This reads only headers and the beginnings of lines, which is enough
 * except inside an inline table: there it is the line of the key of the table.
 */
export function lineOf(toml: string, path: readonly string[]): number | undefined {
  let table: readonly string[] = [];
  let nearest: { readonly line: number; readonly depth: number } | undefined;
  for (const [index, line] of toml.split('\n').entries()) {
    const header = /^\s*\[\[?([^\]]+)\]/.exec(line);
    const set = header === null ? /^\s*([\w\s."'-]+?)\s*=/.exec(line) : null;
    if (header !== null) table = keysOf(header[1] as string);
    if (header === null && set === null) continue;
    const here = set === null ? table : [...table, ...keysOf(set[1] as string)];
    if (here.length > path.length || !here.every((part, depth) => part === path[depth])) continue;
    if (nearest === undefined || here.length > nearest.depth) nearest = { line: index + 1, depth: here.length };
  }
  return nearest?.line;
}

const keysOf = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? '');
