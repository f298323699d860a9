import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { createLayer, type Layer, type OpenLayer, pathNamed, type Problem, setAll, type Reported } from './layer.ts';
import { lineOf } from './line-of.ts';
import { builtIn, type Configuration, keyAt, type Path, paths } from './schema.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The combined settings of files and environment, their errors, and the origin of each value. */
export interface Reading {
  readonly configuration: Configuration;
  readonly reported: ReadonlyMap<Path, Reported>;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

export type Role = 'system' | 'user' | 'local';

/** The places of configuration files; later ones have precedence. */
export function filesOf(environment: Environment, cwd: string): { readonly role: Role; readonly path: string }[] {
  const xdg = environment['XDG_CONFIG_HOME'] ?? '';
  const home = environment['HOME'] ?? homedir();
  return [
    { role: 'system', path: environment['TORC_SYSTEM_CONFIG'] || '/etc/torc/config.toml' },
    { role: 'user', path: join(isAbsolute(xdg) ? xdg : join(home, '.config'), 'torc', 'config.toml') },
    { role: 'local', path: join(cwd, 'torc.toml') },
  ];
}

/** Reads the existing files and the environment. Without files, no TOML parser is loaded. */
export async function readConfiguration(environment: Environment, cwd: string): Promise<Reading> {
  const layers: Layer[] = [];
  for (const { path } of filesOf(environment, cwd)) {
    if (existsSync(path)) layers.push(await fileLayer(path, cwd));
  }
  return together([...layers, environmentLayer(environment)]);
}

/** The settings of the environment alone. */
export const readEnvironment = (environment: Environment): Reading => together([environmentLayer(environment)]);

function together(layers: readonly Layer[]): Reading {
  const reported = new Map(layers.flatMap(({ values }) => [...values]));
  const values = Object.fromEntries([...reported].map(([path, { value }]) => [path, value]));
  return {
    configuration: { ...builtIn, ...values } as Configuration,
    reported,
    problems: layers.flatMap(({ problems }) => problems),
    warnings: layers.flatMap(({ warnings }) => warnings),
  };
}

async function fileLayer(path: string, cwd: string): Promise<Layer> {
  const layer = createLayer();
  const name = nameOf(path, cwd);
  const { parse, TomlError } = await import('smol-toml');
  try {
    const toml = readFileSync(path, 'utf8');
    setAll(layer, parse(toml), (keys) => {
      const line = lineOf(toml, keys);
      return line === undefined ? name : `${name}:${line}`;
    });
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
