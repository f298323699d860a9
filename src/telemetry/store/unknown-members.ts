import { attributeTables, type Envelope } from '../../core/contract/sonar/envelope.ts';
import type { ObjectTable } from '../../core/contract/sonar/kinds.ts';

/**
 * Members that the definition does not have, with the path to each: they are stored beside the columns, and stand at their
 * place again when the envelope is written.
 *
 * Types whose attributes are stored as JSON (sysinfo, cluster, the records of jobs, errors) keep theirs without this.
 */
export type UnknownMember = readonly [path: readonly (string | number)[], value: unknown];

type Members = Readonly<Record<string, unknown>>;

export function unknownMembers(envelope: Envelope): UnknownMember[] {
  const found: UnknownMember[] = [];
  const own = (members: Members, names: readonly string[], path: readonly string[]) => {
    for (const [name, value] of Object.entries(members))
      if (!names.includes(name)) found.push([[...path, name], value]);
  };
  own(envelope as unknown as Members, ['meta', 'data', 'errors'], []);
  if (envelope.data === undefined) return found;
  own(envelope.data as unknown as Members, ['type', 'attributes'], ['data']);
  const { type, attributes } = envelope.data;
  const path = ['data', 'attributes'];
  if (type === 'sample') collect(attributeTables.sample, attributes as Members, path, found);
  // Of a list of jobs each record is stored whole.
  else if (type === 'job') own(attributes as Members, Object.keys(attributeTables.job.fields), path);
  return found;
}

function collect(
  table: ObjectTable,
  members: Members,
  path: readonly (string | number)[],
  found: UnknownMember[],
): void {
  for (const [name, value] of Object.entries(members)) {
    const field = table.fields[name];
    if (field === undefined) found.push([[...path, name], value]);
    // Errors of a sample are stored as JSON.
    else if (typeof field.kind === 'object' && field.kind.name !== 'ErrorObject' && value !== undefined)
      for (const [index, each] of (field.list === undefined ? [value] : (value as readonly unknown[])).entries())
        collect(
          field.kind,
          each as Members,
          field.list === undefined ? [...path, name] : [...path, name, index],
          found,
        );
  }
}

/** Puts the members at their places. Paths lead through objects and lists that are there. */
export function putUnknownMembers(envelope: object, members: readonly UnknownMember[]): void {
  for (const [path, value] of members) {
    let place = envelope as Record<string | number, unknown>;
    for (const [index, part] of path.slice(0, -1).entries()) {
      // An object with nothing but unknown members has no row.
      place[part] ??= typeof path[index + 1] === 'number' ? [] : {};
      place = place[part] as Record<string | number, unknown>;
    }
    place[path.at(-1) as string] = value;
  }
}
