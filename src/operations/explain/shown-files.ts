import { existsSync } from 'node:fs';

/** The existing files; if there is none, the folder may be on another machine, and only the names are shown. */
export function shownFiles(paths: Readonly<Record<string, string | undefined>>): string[] {
  const all = [...new Set(Object.values(paths).filter((path) => path !== undefined))];
  const there = all.filter((path) => existsSync(path));
  return there.length === 0 ? all : there;
}
