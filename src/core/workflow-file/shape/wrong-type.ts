import { compactJson, ExactNumber, isList, isMap, valueKindOf, type Value, type ValueMap } from '../text/value.ts';
import type { Shape } from './shape.ts';

/**
 * A sentence for a person about a value of the wrong kind: the field, what it takes, what was found, what to write.
 *
 * Torc's own sentence, `invalid type: string "two", expected i64`, stays beside it for programs.
 */
export function wrongTypeText(shape: Shape<unknown>, value: Value, path: readonly (string | number)[]): string {
  const advice = adviceFor(shape, value, nameIn(path));
  return `${subjectOf(path)} must be ${expected(shape)}; found ${found(value)}${advice === undefined ? '' : `. ${advice}`}`;
}

const nameIn = (path: readonly (string | number)[]): string => {
  const name = path.findLast((step) => typeof step === 'string');
  return typeof name === 'string' ? name : '';
};

function subjectOf(path: readonly (string | number)[]): string {
  if (path.length === 0) return 'a workflow file';
  return typeof path.at(-1) === 'number' ? `each entry of \`${nameIn(path)}\`` : `\`${nameIn(path)}\``;
}

function expected(shape: Shape<unknown>): string {
  switch (shape.kind) {
    case 'string':
      return 'a text';
    case 'integer':
      return 'a whole number';
    case 'float':
      return 'a number';
    case 'boolean':
      return 'true or false';
    case 'choice':
      return `one of ${(shape.choices ?? []).join(', ')}`;
    case 'list':
      return 'a list';
    case 'map':
      return 'a map of names and values';
    case 'object':
      return `${shape.short === undefined ? '' : 'a text or '}a map with fields such as ${examplesOf(shape).join(', ')}`;
    case 'any':
      return 'a value';
  }
}

/** The fields that must be there, else the first two. */
function examplesOf(shape: Shape<unknown>): string[] {
  const fields = Object.entries(shape.fields ?? {});
  const needed = fields.filter(([, field]) => field.isNeeded);
  return (needed.length > 0 ? needed : fields.slice(0, 2)).map(([name]) => `\`${name}\``);
}

// More of a text says no more, and a file may put megabytes in the wrong place.
const MOST_LETTERS = 60;

const short = (text: string): string => (text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text);

function found(value: Value): string {
  switch (valueKindOf(value)) {
    case 'null':
      return 'nothing';
    case 'boolean':
      return compactJson(value);
    case 'integer':
    case 'float':
      return `the number ${writtenText(value)}`;
    case 'string':
      return `the text ${JSON.stringify(short(value as string))}`;
    case 'list':
      return 'a list';
    case 'map':
      return isMap(value) && bracesIn(value) !== undefined
        ? `the map {${bracesIn(value)}}`
        : `the map ${short(compactJson(value))}`;
  }
}

function adviceFor(shape: Shape<unknown>, value: Value, name: string): string | undefined {
  switch (shape.kind) {
    case 'string':
      return textAdvice(value, name);
    case 'integer':
    case 'float':
      return typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value)
        ? `Write it without quotes: ${value}`
        : undefined;
    case 'boolean':
      return truthAdvice(value);
    case 'list':
      return listAdvice(shape, value, name);
    case 'map':
      return isList(value) ? 'Write one line for each name, without dashes: NAME: "value"' : undefined;
    case 'object':
      return isList(value) ? 'Leave out the dash or the brackets in front of its fields' : undefined;
    case 'choice':
    case 'any':
      return undefined;
  }
}

/** `3.10` is the number 3.1, and the text that was meant. */
const writtenText = (value: Value): string => (value instanceof ExactNumber ? value.written : compactJson(value));

function textAdvice(value: Value, name: string): string | undefined {
  const kind = valueKindOf(value);
  if (kind === 'integer' && name === 'memory')
    return `Write it with a unit: ${compactJson(value)}m or ${compactJson(value)}g`;
  if (kind === 'integer' || kind === 'float' || kind === 'boolean') return `Put it in quotes: "${writtenText(value)}"`;
  if (isMap(value)) return mapForText(value);
  if (isList(value)) return listForText(value, name);
  return undefined;
}

/** YAML reads `{x}` as a map with the key x and no value, and `{1:3}` likewise. */
function mapForText(value: ValueMap): string {
  const inner = bracesIn(value);
  return inner !== undefined
    ? `YAML reads braces as a map; put the text in quotes: "{${inner}}"`
    : 'Put a text with braces, or with a colon followed by a space, in quotes';
}

/** The text that stood between braces in YAML; nothing for a map that was meant. */
export function bracesIn(value: ValueMap): string | undefined {
  const [key, ...others] = Object.keys(value);
  return key !== undefined && others.length === 0 && value[key] === null ? key : undefined;
}

function listForText(value: readonly Value[], name: string): string | undefined {
  const words = value.filter((item) => typeof item === 'string' || typeof item === 'number').map(String);
  if (words.length < value.length || words.length === 0) return undefined;
  if (words.length === 1) return `Write it without brackets or dash: "${words[0]}"`;
  if (name !== 'command' && name !== 'invocation_script') return undefined;
  return words.some((word) => /\s/.test(word))
    ? 'Write several commands below `command: |`, one per line, or join them with &&'
    : `Write it as one text: ${short(words.join(' '))}`;
}

function truthAdvice(value: Value): string | undefined {
  const word = (typeof value === 'string' ? value : compactJson(value)).toLowerCase();
  if (['yes', 'y', 'on', 'true', '1'].includes(word)) return 'Write true, without quotes';
  return ['no', 'n', 'off', 'false', '0'].includes(word) ? 'Write false, without quotes' : undefined;
}

function listAdvice({ of }: Shape<unknown>, value: Value, name: string): string | undefined {
  const kind = valueKindOf(value);
  if (kind === 'null') return 'Indent its entries below it, each with a dash; an empty list is []';
  if (of?.kind !== 'object' || of.short !== undefined)
    return kind === 'list' || kind === 'map' ? undefined : `Write it in brackets: [${compactJson(value)}]`;
  if (!isMap(value)) return undefined;
  const [key = 'NAME'] = Object.keys(value);
  return Object.hasOwn(of.fields ?? {}, key)
    ? `Put a dash in front of each entry: - ${key}: …`
    : `Write a list, with the name as a field of each entry: ${name}: [{ name: ${key}, … }]`;
}
