import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What Torc's own server (1.0.0, API 0.23.0) accepts and answers: its routes with their query parameters, bodies and replies,
 * and its schemas, as facts in `contract.json`.
 *
 * A type is `integer`, `number`, `string`, `boolean`, `any`, the name of a schema, `T[]`, or `{T}` for a map; `?` behind it
 * says that null is accepted. `!` in front of the type of a field, or in front of a query parameter, says that it is required.
 */
interface Contract {
  readonly routes: Readonly<Record<string, OriginalRoute>>;
  readonly schemas: Readonly<Record<string, Schema>>;
}

export interface OriginalRoute {
  readonly query?: readonly string[];
  readonly body?: string;
  readonly reply?: readonly string[];
}

interface Schema {
  /** Refuses unknown fields; other schemas ignore them. */
  readonly closed?: boolean;
  readonly fields?: Readonly<Record<string, string>>;
  readonly oneOf?: readonly string[];
}

const { routes, schemas } = JSON.parse(readFileSync(join(import.meta.dirname, 'contract.json'), 'utf8')) as Contract;

const patterns = Object.entries(routes).map(([name, route]) => {
  const [method, path] = name.split(' ') as [string, string];
  return { method, path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), route };
});

/** The route of a request; `path` is its template. Undefined when the original has none. */
export function originalRoute(method: string, path: string): (OriginalRoute & { readonly path: string }) | undefined {
  // `/workflows/{id}` and such match no longer paths, and fixed parts come before parameters in no other route.
  const found = patterns.find((each) => each.method === method && each.pattern.test(path));
  return found === undefined ? undefined : { ...found.route, path: found.path };
}

/** Is there a route at this path by another method? */
export const isOriginalPath = (path: string): boolean => patterns.some(({ pattern }) => pattern.test(path));

/** The fields of a schema. */
export const fieldsOf = (schema: string): string[] => Object.keys(schemas[schema]?.fields ?? {});

/** Why the original refuses a value of this type; undefined when it accepts it. */
export function faultOf(value: unknown, type: string, place = 'body'): string | undefined {
  const [inner, isNullable] = type.endsWith('?') ? [type.slice(0, -1), true] : [type, false];
  if (value === null || value === undefined) return isNullable || inner === 'any' ? undefined : `${place}: null`;
  if (inner.endsWith('[]')) {
    if (!Array.isArray(value)) return `${place}: expected a sequence`;
    return first(value.map((each, index) => faultOf(each, inner.slice(0, -2), `${place}[${index}]`)));
  }
  if (inner.startsWith('{')) {
    if (typeof value !== 'object' || Array.isArray(value)) return `${place}: expected a map`;
    return first(Object.entries(value).map(([key, each]) => faultOf(each, inner.slice(1, -1), `${place}.${key}`)));
  }
  switch (inner) {
    case 'any':
      return undefined;
    case 'integer':
      return Number.isInteger(value) ? undefined : `${place}: expected an integer`;
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === inner ? undefined : `${place}: expected a ${inner}`;
    default:
      return faultOfSchema(value, schemas[inner] as Schema, place);
  }
}

function faultOfSchema(value: unknown, { fields, oneOf, closed }: Schema, place: string): string | undefined {
  if (oneOf !== undefined) return oneOf.includes(value as string) ? undefined : `${place}: unknown variant`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${place}: expected a struct`;
  const given = value as Record<string, unknown>;
  for (const [name, marked] of Object.entries(fields ?? {})) {
    const isRequired = marked.startsWith('!');
    const type = isRequired ? marked.slice(1) : marked;
    if (given[name] === undefined) {
      if (isRequired && type !== 'any') return `${place}: missing field \`${name}\``;
      continue;
    }
    // Fields with a default accept null as absent.
    const fault = given[name] === null && !isRequired ? undefined : faultOf(given[name], type, `${place}.${name}`);
    if (fault !== undefined) return fault;
  }
  const stranger = closed === true ? Object.keys(given).find((name) => fields?.[name] === undefined) : undefined;
  return stranger === undefined ? undefined : `${place}: unknown field \`${stranger}\``;
}

/** A value as the original knows it: without fields that its schemas do not have. */
export function onlyKnown(value: unknown, type: string): unknown {
  const inner = type.replace(/^!/, '').replace(/\?$/, '');
  if (value === null || typeof value !== 'object' || inner === 'any') return value;
  if (inner.endsWith('[]')) {
    return Array.isArray(value) ? value.map((each) => onlyKnown(each, inner.slice(0, -2))) : value;
  }
  if (inner.startsWith('{')) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, onlyKnown(each, inner.slice(1, -1))]));
  }
  const fields = schemas[inner]?.fields;
  if (fields === undefined) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      fields[name] === undefined ? [] : [[name, onlyKnown(each, fields[name])]],
    ),
  );
}

const first = (faults: readonly (string | undefined)[]) => faults.find((fault) => fault !== undefined);
