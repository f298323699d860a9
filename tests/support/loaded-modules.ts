import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { temporaryFolder, torc } from './programs.ts';

const root = join(import.meta.dirname, '../..');

export interface Modules {
  /** Below `src`. */
  readonly own: readonly string[];
  readonly libraries: readonly string[];
  readonly ofRuntime: readonly string[];
}

/** What a command has loaded when it ends: of the checkout, or of the package, in which our modules and libraries are one. */
export async function modulesOf(
  args: readonly string[],
  cwd = temporaryFolder(),
  { isFromSources = true } = {},
): Promise<Modules> {
  const environment = {
    PRINTED_MODULES: cwd,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'print-modules.ts')}`,
    XDG_STATE_HOME: join(cwd, 'state'),
  };
  const { code, stderr } = await torc(args, { cwd, environment, isFromSources });
  expect([code, stderr.replaceAll(/^(?:Started|Created|✓|The jobs wrote their output).*\n/gm, '')]).toEqual([0, '']);
  return modulesIn(cwd, 'torc');
}

/** The same of another program that it started. */
export function modulesIn(folder: string, program: string): Modules {
  const printed = readFileSync(join(folder, `${program}.mjs.json`), 'utf8');
  const { files, ofRuntime } = JSON.parse(printed) as { files: string[]; ofRuntime: string[] };
  const paths = files.map((url) => fileURLToPath(url));
  const own = join(root, 'src/');
  return {
    own: paths.flatMap((path) => (path.startsWith(own) ? [path.slice(own.length)] : [])),
    libraries: [...new Set(paths.flatMap((path) => /node_modules\/([^/]+)\//.exec(path)?.[1] ?? []))],
    ofRuntime,
  };
}
