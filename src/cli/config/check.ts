import { keyAt, type Path, paths } from './schema.ts';
import type { Reading } from './read.ts';

/** Everything that should not stay as it is: what is wrong, what does not go together, and what is possible but unwise. */
export function complaintsAbout({ problems, told, configuration }: Reading): string[] {
  const placed = (path: Path, words: string) => `${told.get(path)?.place ?? 'built in'}: ${path}: ${words}`;
  const unwise = paths.flatMap((path) => {
    const said = told.get(path);
    const words = said === undefined ? undefined : keyAt(path).objection?.(said.value as never);
    return words === undefined ? [] : [placed(path, words)];
  });
  const lacks = needs.flatMap(([path, ...needed]) =>
    configuration[path] === true && needed.some((other) => configuration[other] === undefined)
      ? [placed(path, `needs ${needed.join(' and ')}`)]
      : [],
  );
  return [...problems.map(({ text }) => text), ...unwise, ...lacks];
}

/** What is switched on needs a value of these. */
const needs: readonly (readonly [Path, ...Path[]])[] = [
  ['server.https', 'server.tls_cert', 'server.tls_key'],
  ['server.require_auth', 'server.auth_file'],
  ['server.enforce_access_control', 'server.auth_file'],
];
