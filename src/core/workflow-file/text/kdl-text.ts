import { type Level, type Take, workflowLevel } from './kdl-dialect.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A workflow file as KDL, in the nodes that `readKdl` reads. `leaveOut` gets the place of each value for which KDL has no node, such as
 * `metadata.sites` with a list.
 */
export function writeKdl(spec: Fields, leaveOut: (place: string) => void): string {
  return nodesOf(spec, workflowLevel, { indent: '', place: '', leaveOut }).join('');
}

interface Where {
  readonly indent: string;
  readonly place: string;
  readonly leaveOut: (place: string) => void;
}

function nodesOf(fields: Fields, level: Level, where: Where): string[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const inside = { ...where, place: where.place === '' ? field : `${where.place}.${field}` };
    const [name, take] = nodeOf(level, field) ?? [];
    if (name !== undefined && take !== undefined) return nodesOfValue(name, take, value, inside);
    where.leaveOut(inside.place);
    return [];
  });
}

/** The node of a field. Of several, the one that is repeated can say the most. */
function nodeOf(level: Level, field: string): readonly [name: string, take: Take] | undefined {
  const found = Object.entries(level.nodes).filter(
    ([name, { field: other, renamed }]) => (other ?? name) === field && renamed !== true,
  );
  const repeated = found.find(([, { take }]) => take === 'each' || typeof take === 'object');
  const [name, node] = repeated ?? found[0] ?? [];
  return name === undefined || node === undefined ? undefined : [name, node.take];
}

function nodesOfValue(name: string, take: Take, value: unknown, where: Where): string[] {
  const line = (...values: unknown[]) =>
    `${where.indent}${name}${values.map((each) => ` ${literal(each)}`).join('')}\n`;
  const block = (head: string, nodes: readonly string[]) =>
    nodes.length === 0 ? [`${where.indent}${head}\n`] : [`${where.indent}${head} {\n`, ...nodes, `${where.indent}}\n`];
  const deeper = { ...where, indent: `${where.indent}  ` };
  if (typeof take === 'object') {
    if ('level' in take) return block(name, nodesOf(value as Fields, take.level, deeper));
    return (value as readonly Fields[]).flatMap((entry, index) => {
      const { named } = take.items;
      const { [named ?? '']: first, ...rest } = entry;
      // A record of user data needs its node, also without a value.
      const fields = take.items.needed?.includes('data') ? { ...rest, data: rest['data'] ?? null } : rest;
      const head = named === undefined ? name : `${name} ${literal(first)}`;
      return block(head, nodesOf(fields, take.items, { ...deeper, place: `${where.place}[${index}]` }));
    });
  }
  switch (take) {
    case 'each':
      return (value as readonly unknown[]).map((each) => line(each));
    case 'texts':
    case 'integers':
      return [line(...(value as readonly unknown[]))];
    case 'json':
      return [line(JSON.stringify(value))];
    case 'textMap':
    case 'freeMap':
      return block(
        name,
        Object.entries(value as Fields).flatMap(([key, each]) => {
          if (typeof each !== 'object' || each === null) return [`${deeper.indent}${nameText(key)} ${literal(each)}\n`];
          where.leaveOut(`${where.place}.${key}`);
          return [];
        }),
      );
    case 'integer':
      if (Number.isInteger(value)) return [line(value)];
      where.leaveOut(where.place);
      return [];
    case 'text':
    case 'flag':
      return [line(value)];
  }
}

/** Words that are values in KDL when they stand alone. */
const KEYWORDS = new Set(['true', 'false', 'null', 'inf', 'nan']);

const nameText = (name: string): string =>
  /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) && !KEYWORDS.has(name) ? name : literal(name);

const literal = (value: unknown): string => {
  if (value === null) return '#null';
  if (typeof value === 'boolean') return value ? '#true' : '#false';
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value);
};

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

/** KDL allows no control characters and no line ends in a text, and no marks that change the direction of writing. */
const quoted = (text: string): string =>
  `"${text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- these are what has to be escaped
    /["\\\u0000-\u001f\u007f\u0085\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => ESCAPES[char] ?? `\\u{${char.charCodeAt(0).toString(16)}}`,
  )}"`;
