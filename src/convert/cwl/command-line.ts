import { resolve, type Scope } from './references.ts';
import {
  type Cwl,
  type CwlMap,
  entriesOf,
  isCwlFile,
  isCwlList,
  isCwlMap,
  Later,
  Unsupported,
  nameIn,
} from './value.ts';

/** One word of a command line, which the shell may be left to read (`shellQuote: false`). */
export interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** Where a binding stands: numbers before texts, one by one (CWL 1.2, section 4.1 of CommandLineTool). */
type Place = readonly (number | string)[];

interface Bound {
  readonly place: Place;
  readonly binding: CwlMap;
  readonly value: Cwl;
}

/** The words of a tool with these inputs. Throws `Unsupported`. */
export function commandLine(tool: CwlMap, inputs: CwlMap, runtime: CwlMap): readonly Word[] {
  const scope = { inputs, runtime };
  const base = (isCwlList(tool['baseCommand']) ? tool['baseCommand'] : [tool['baseCommand'] ?? []].flat()).map(
    (word): Word => ({ text: nameIn(word), isQuoted: true }),
  );
  const given = (isCwlList(tool['arguments']) ? tool['arguments'] : []).map((each, index): Bound => {
    const binding: CwlMap = isCwlMap(each) ? each : { valueFrom: each };
    return { place: [positionOf(binding, { ...scope, self: null }), index], binding, value: null };
  });
  const bound = entriesOf(tool['inputs'], 'id', 'type').flatMap(([name, input]) =>
    bind({ ...input, type: input['type'] ?? 'Any' }, inputs[name] ?? null, scope, { after: name }),
  );
  const words = [...given, ...bound].toSorted((one, other) => compare(one.place, other.place));
  return [...base, ...words.flatMap((each) => wordsOf(each, scope))];
}

function positionOf(binding: CwlMap, scope: Scope): number {
  const position = resolve(binding['position'] ?? 0, scope);
  if (position instanceof Later) throw new Unsupported(position.why);
  return Number(position);
}

function compare(one: Place, other: Place): number {
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const [a, b] = [one[at] as number | string, other[at] as number | string];
    if (a === b) continue;
    if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
    return a < b ? -1 : 1;
  }
  return one.length - other.length;
}

interface Around {
  readonly before?: number | undefined;
  readonly after?: string | number | undefined;
}

/** The bindings of a value of this schema, and of what it holds. */
function bind(schema: CwlMap, value: Cwl, scope: Scope, { before, after }: Around): Bound[] {
  const own = schema['inputBinding'];
  const place = (position: number): Place => [
    ...(before === undefined ? [] : [before]),
    position,
    ...(after === undefined ? [] : [after]),
  ];
  const binding = isCwlMap(own) ? own : undefined;
  const at = binding === undefined ? undefined : place(positionOf(binding, { ...scope, self: value }));
  const inner = value === null ? [] : within(schema, value, scope, { binding, before, after });
  // The items of an array carry the binding themselves where it belongs to the array.
  const isOfItems = schema['type'] === 'array';
  if (binding === undefined || at === undefined || isOfItems)
    return at === undefined ? inner : inner.map((each) => ({ ...each, place: [...at, ...each.place] }));
  return [{ place: at, binding, value }, ...inner.map((each) => ({ ...each, place: [...at, ...each.place] }))];
}

function within(
  schema: CwlMap,
  value: Cwl,
  scope: Scope,
  { binding, before, after }: Around & { readonly binding: CwlMap | undefined },
): Bound[] {
  const around = { before, after };
  const type = typeFor(schema['type'] ?? 'Any', value);
  if (isCwlMap(type)) {
    const isArray = type['type'] === 'array';
    const carries = binding !== undefined && isArray && !('inputBinding' in type) && !('itemSeparator' in binding);
    if (binding !== undefined && 'valueFrom' in binding) return [];
    return bind(carries ? { ...type, inputBinding: {} } : type, value, scope, around);
  }
  if (type === 'record' && isCwlMap(value))
    return entriesOf(schema['fields'], 'name', 'type').flatMap(([name, field]) =>
      name in value ? bind(field, value[name] ?? null, scope, { before, after: name }) : [],
    );
  if (type === 'array' && isCwlList(value))
    return value.flatMap((item, index) =>
      bind(
        { type: schema['items'] ?? 'Any', ...(binding === undefined ? {} : { inputBinding: binding }) },
        item,
        scope,
        { before: index, after },
      ),
    );
  return [];
}

/** Of a union the first type that fits; `T?` and `T[]` written out. */
function typeFor(type: Cwl, value: Cwl): Cwl {
  const options = optionsOf(type);
  return options.find((each) => fits(each, value)) ?? options.find((each) => each !== 'null') ?? 'null';
}

/** Whether a value is of a type; a value that only a run knows is of each, and so is any value of a type with a name of its own. */
export const isOf = (type: Cwl, value: Cwl): boolean => optionsOf(type).some((each) => fits(each, value));

const optionsOf = (type: Cwl): readonly Cwl[] =>
  (isCwlList(type) ? type : [type]).map(writtenOut).flatMap((each) => (isCwlList(each) ? each : [each]));

export function writtenOut(type: Cwl): Cwl {
  if (typeof type !== 'string') return type;
  if (type.endsWith('?')) return ['null', writtenOut(type.slice(0, -1))];
  return type.endsWith('[]') ? { type: 'array', items: writtenOut(type.slice(0, -2)) } : type;
}

function fits(type: Cwl, value: Cwl): boolean {
  if (value instanceof Later) return type !== 'null';
  if (isCwlMap(type)) {
    if (type['type'] === 'array') return isCwlList(value) && value.every((item) => isOf(type['items'] ?? 'Any', item));
    if (type['type'] === 'record')
      return (
        isCwlMap(value) &&
        !isCwlFile(value) &&
        entriesOf(type['fields'], 'name', 'type').every(
          ([name, { type: of = 'Any' }]) => name in value || typeFor(of, null) === 'null',
        )
      );
    if (type['type'] === 'enum')
      return (
        typeof value === 'string' &&
        isCwlList(type['symbols']) &&
        type['symbols'].some((each) => nameIn(each).replace(/^.*[#/]/, '') === value)
      );
    return fits(type['type'] ?? 'Any', value);
  }
  switch (nameIn(type)) {
    case 'null':
      return value === null;
    case 'boolean':
      return typeof value === 'boolean';
    case 'int':
    case 'long':
      return Number.isInteger(value);
    case 'float':
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'File':
    case 'Directory':
      return isCwlFile(value) && value['class'] === type;
    default:
      return value !== null;
  }
}

function wordsOf({ binding, value: given }: Bound, scope: Scope): Word[] {
  const value = 'valueFrom' in binding ? fromValue(binding['valueFrom'] ?? null, given, scope) : given;
  const isQuoted = binding['shellQuote'] !== false;
  const prefix = binding['prefix'] === undefined ? undefined : nameIn(binding['prefix']);
  const alone = prefix === undefined ? [] : [word(prefix, isQuoted)];
  const separator = binding['itemSeparator'];
  if (value === null || value === false || (value === true && prefix === undefined)) return [];
  if (value === true) return alone;
  if (isCwlList(value)) {
    if (value.length === 0) return [];
    if (separator === undefined)
      return 'valueFrom' in binding ? [...alone, ...value.map((each) => word(argumentText(each), isQuoted))] : alone;
    return joined(prefix, value.map(argumentText).join(nameIn(separator)), binding, isQuoted);
  }
  if (isCwlMap(value) && !isCwlFile(value)) return alone;
  return joined(prefix, argumentText(value), binding, isQuoted);
}

function fromValue(expression: Cwl, self: Cwl, scope: Scope): Cwl {
  const value = resolve(expression, { ...scope, self });
  if (value instanceof Later) throw new Unsupported(value.why);
  return value;
}

const word = (text: string, isQuoted: boolean): Word => ({ text, isQuoted });

function joined(prefix: string | undefined, text: string, { separate }: CwlMap, isQuoted: boolean): Word[] {
  if (prefix === undefined) return [word(text, isQuoted)];
  return separate === false ? [word(prefix + text, isQuoted)] : [word(prefix, isQuoted), word(text, isQuoted)];
}

/** A value as a word: numbers in digits, files by their paths. */
export function argumentText(value: Cwl): string {
  if (value instanceof Later) throw new Unsupported(value.why);
  if (isCwlFile(value)) return nameIn(value['path']);
  if (typeof value === 'number') return decimal(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** CWL writes numbers without an exponent. */
const decimal = (value: number): string =>
  Number.isInteger(value)
    ? BigInt(value).toString()
    : /e/.test(String(value))
      ? value.toFixed(20).replace(/\.?0+$/, '')
      : String(value);
