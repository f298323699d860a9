import { keyAt, type Path, paths } from './schema.ts';
import { trustCommand } from './not-trusted.ts';
import type { Reading } from './read.ts';

/** Everything that should be changed: errors, conflicting settings, and valid but unwise ones. */
export function complaintsAbout({ problems, reported }: Reading): string[] {
  const placed = (path: Path, words: string) => `${reported.get(path)?.place ?? 'default'}: ${path}: ${words}`;
  const unwise = paths.flatMap((path) => {
    const said = reported.get(path);
    const words = said === undefined ? undefined : keyAt(path).objection?.(said.value as never);
    return words === undefined ? [] : [placed(path, words)];
  });
  const lacks = needs.flatMap(([path, ...needed]) =>
    reported.get(path)?.value === true && needed.some((other) => reported.get(other) === undefined)
      ? [placed(path, `needs ${needed.join(' and ')}`)]
      : [],
  );
  const untrusted = [...reported].flatMap(([path, { waits }]) =>
    waits === undefined ? [] : [placed(path, `not trusted: ${trustCommand(waits.path)}`)],
  );
  return [...problems.map(({ text }) => text), ...unwise, ...lacks, ...untrusted];
}

/** What the user should know of valid values. */
export const notesAbout = ({ reported }: Reading): string[] =>
  paths.flatMap((path) => {
    const said = reported.get(path);
    const words = said === undefined ? undefined : keyAt(path).note?.(said.value as never);
    return words === undefined ? [] : [`${said?.place}: ${words}`];
  });

/** Settings that need a value of others when they are enabled. */
const needs: readonly (readonly [Path, ...Path[]])[] = [
  ['server.https', 'server.tls_cert', 'server.tls_key'],
  ['server.require_auth', 'server.auth_file'],
  ['server.enforce_access_control', 'server.auth_file'],
];
