import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

/** A Python of this machine. */
export interface Python {
  readonly path: string;
  /** As 3.13. */
  readonly minor: string;
  readonly version: string;
}

/** Those that the Python package is for. */
export const MINORS = ['3.9', '3.10', '3.11', '3.12', '3.13', '3.14', '3.15'] as const;

const within = (folder: string): string[] => {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
};

/** The Pythons on PATH, those of pyenv, and those of scripts/pythons.sh, each version once; `python3` of PATH comes first. */
export function findPythons(): Python[] {
  const pyenv = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  const fetched = resolve(import.meta.dirname, '../../.build/pythons');
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  const found = new Map<string, Python>();
  for (const path of [
    'python3',
    ...onPath.flatMap((folder) => MINORS.map((minor) => join(folder, `python${minor}`))),
    ...within(pyenv).map((version) => join(pyenv, version, 'bin/python3')),
    ...within(fetched).map((version) => join(fetched, version, 'python3')),
  ]) {
    const said = spawnSync(path, ['-c', 'import sys; print(sys.executable, *sys.version_info[:3])'], {
      encoding: 'utf8',
    });
    const [executable = '', major, minor, patch] = said.status === 0 ? said.stdout.trim().split(' ') : [];
    const version = `${major}.${minor}.${patch}`;
    if (executable !== '' && !found.has(version))
      found.set(version, { path: executable, minor: `${major}.${minor}`, version });
  }
  return [...found.values()];
}
