import type { Complain, ValuePath } from '../problems/problems.ts';
import { suggest } from '../problems/suggest.ts';
import { templateNames } from '../text/template-names.ts';
import { setField } from '../../json/read-json.ts';
import { partAt, type TextPart } from '../problems/text-part.ts';
import { describe, isList, isMap, valueKindOf, type Value, type ValueMap } from '../text/value.ts';

/**
 * Constants of a workflow file: `{name}` is replaced in every text, before anything else is checked.
 *
 * template-names.ts defines what counts as `{name}`. If there is a variable, each name must be a variable or a
 * parameter: any other name is a typing error that would end up in a command.
 */
export function applyVariables(
  root: ValueMap,
  parameterNames: (root: ValueMap) => ReadonlySet<string> | undefined,
  complain: Complain,
): ValueMap {
  const { variables: declared, ...rest } = root;
  if (declared === undefined) return rest;
  const variables = readVariables(declared, complain);
  if (variables === undefined || variables.names.size === 0) return { ...rest, variables: variables?.texts ?? {} };
  const replaced = new Replacer(variables.texts, variables.names, complain);
  // Names of parameters are looked up in the replaced file: the path of a table may contain a variable.
  const substituted = replaced.map(rest, []);
  const parameters = parameterNames(substituted);
  refuseReferences(variables.texts, complain);
  if (parameters !== undefined) {
    refuseCollisions(variables.names, parameters, complain);
    replaced.complainOfUnknown(parameters);
  }
  return { ...substituted, variables: variables.texts };
}

interface Variables {
  /** The valid variables. */
  readonly texts: Readonly<Record<string, string>>;
  /** All declared variables: the use of a malformed one is not a second error. */
  readonly names: ReadonlySet<string>;
}

// Each compares all names.
const MOST_SUGGESTIONS = 50;

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

function readVariables(declared: Value, complain: Complain): Variables | undefined {
  if (!isMap(declared)) {
    const message = 'workflow `variables` must be an object of string key/value pairs';
    complain({ code: 'VARIABLE_MALFORMED', message, path: ['variables'], found: describe(declared) });
    return undefined;
  }
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(declared)) {
    const path = ['variables', name];
    if (!IDENTIFIER.test(name)) {
      const message = `workflow variable name '${name}' must be a valid identifier (letters, digits and underscores, not starting with a digit)`;
      complain({ code: 'VARIABLE_MALFORMED', message, path, atKey: true, found: name });
    } else if (typeof value === 'string') texts[name] = value;
    else {
      const message = `workflow variable '${name}' must be a string (got ${kindWord(value)})`;
      complain({ code: 'VARIABLE_MALFORMED', message, path, found: describe(value), allowed: ['a string'] });
    }
  }
  return { texts, names: new Set(Object.keys(declared)) };
}

function kindWord(value: Value): string {
  const kind = valueKindOf(value);
  if (kind === 'integer' || kind === 'float') return 'number';
  return kind === 'list' ? 'array' : kind === 'map' ? 'object' : kind;
}

function refuseCollisions(names: ReadonlySet<string>, parameters: ReadonlySet<string>, complain: Complain): void {
  const both = [...names].filter((name) => parameters.has(name));
  if (both.length === 0) return;
  complain({
    code: 'VARIABLE_COLLIDES',
    message: `workflow \`variables\` collide with parameter names: ${both.join(', ')}. Rename one of the two`,
    path: ['variables', both[0] ?? ''],
    atKey: true,
    found: both.join(', '),
  });
}

/** A variable is a literal: one that contains another would need an order of replacement. */
function refuseReferences(texts: Readonly<Record<string, string>>, complain: Complain): void {
  for (const [name, value] of Object.entries(texts)) {
    for (const { token, name: inner, at } of templateNames(value)) {
      const what = Object.hasOwn(texts, inner)
        ? `references another variable '${token}'`
        : `contains template reference '${token}'`;
      complain({
        code: 'VARIABLE_MALFORMED',
        message: `variable '${name}' value '${value}' ${what}; variable values must be plain literal strings`,
        path: ['variables', name],
        part: partAt(value, at, token),
        found: token,
      });
    }
  }
}

class Replacer {
  private readonly unknown: { name: string; text: string; path: ValuePath; part: TextPart }[] = [];
  private readonly texts: Readonly<Record<string, string>>;
  private readonly names: ReadonlySet<string>;
  private readonly complain: Complain;

  constructor(texts: Readonly<Record<string, string>>, names: ReadonlySet<string>, complain: Complain) {
    this.texts = texts;
    this.names = names;
    this.complain = complain;
  }

  map(value: ValueMap, path: ValuePath): ValueMap {
    const result: Record<string, Value> = {};
    for (const [key, item] of Object.entries(value)) {
      // Names of parameters, not text.
      setField(result, key, key === 'use_parameters' ? item : this.value(item, [...path, key]));
    }
    return result;
  }

  complainOfUnknown(parameters: ReadonlySet<string>): void {
    const candidates = [...this.names, ...parameters];
    const suggestions = new Map<string, string | undefined>();
    for (const { name, text, path, part } of this.unknown) {
      if (parameters.has(name)) continue;
      if (!suggestions.has(name) && suggestions.size < MOST_SUGGESTIONS)
        suggestions.set(name, suggest(name, candidates));
      const suggestion = suggestions.get(name);
      this.complain({
        code: 'TEMPLATE_UNDEFINED',
        message: `undefined template name '{${name}}' in '${text}': not declared in \`variables\` or any \`parameters\` map`,
        path,
        part,
        found: name,
        ...(suggestion === undefined ? {} : { suggestion }),
      });
    }
  }

  private value(value: Value, path: ValuePath): Value {
    if (typeof value === 'string') return this.text(value, path);
    if (isList(value)) return value.map((item, index) => this.value(item, [...path, index]));
    return isMap(value) ? this.map(value, path) : value;
  }

  private text(text: string, path: ValuePath): string {
    let result = '';
    let end = 0;
    for (const { token, name, at } of templateNames(text)) {
      if (Object.hasOwn(this.texts, name)) {
        result += text.slice(end, at) + (this.texts[name] ?? token);
        end = at + token.length;
      } else if (!this.names.has(name)) this.unknown.push({ name, text, path, part: partAt(text, at, token) });
    }
    return result + text.slice(end);
  }
}
