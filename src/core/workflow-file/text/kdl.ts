import { InvalidKdlError, parse, type Node } from '@bgotink/kdl';
import type { Complain } from '../problems/problems.ts';
import { Unreadable, type TextPlace, type ParsedText } from '../../json/place.ts';
import { setField } from '../../json/read-json.ts';
import { DEEPEST, strictJson } from './json.ts';
import { workflowLevel, type Level, type Take } from './kdl-dialect.ts';
import { foundIn, KdlComplaints, startOfNode, type PlacedValue } from './kdl-complaints.ts';
import { valueKindOf, type ValueKind, type Value } from './value.ts';

/**
 * KDL v2 as the value that the other formats give: repeated nodes become lists, arguments become fields.
 *
 * Parts that Torc ignores silently (unknown nodes, second arguments, values of another kind) are ignored too, each with
 * a warning that says where.
 * Throws: `Unreadable` for text that is not KDL.
 */
export function readKdl(text: string, complain: Complain): ParsedText<Value> {
  const reader = new KdlReader(complain);
  const deep = tooDeep(text, DEEPEST);
  if (deep !== undefined) throw new Unreadable(`nested more than ${DEEPEST} deep`, deep);
  let nodes: Node[];
  try {
    nodes = parse(text, { storeLocations: true }).nodes;
  } catch (cause) {
    const open = cause instanceof InvalidKdlError && cause.start?.offset === text.length ? openBrace(text) : undefined;
    if (open !== undefined) throw new Unreadable('this { is never closed: a } is missing', open, { cause });
    // The message ends with the place, which every problem has anyway.
    if (cause instanceof InvalidKdlError)
      throw new Unreadable(cause.message.replace(/ at \d+:\d+$/, ''), cause.start?.offset, { cause });
    // The parser throws other errors for some invalid texts, for instance a single `#`.
    throw new Unreadable('the text is not KDL', undefined, { cause });
  }
  // An empty list of jobs is a workflow for Torc's KDL reader, not a missing field.
  const found = reader.level(nodes, workflowLevel, {}, 0);
  return { value: { jobs: [], ...found.value }, places: () => found.place };
}

class KdlReader extends KdlComplaints {
  level(
    nodes: readonly Node[],
    level: Level,
    start: Record<string, PlacedValue>,
    at: number,
  ): PlacedValue<Record<string, Value>> {
    const value: Record<string, Value> = {};
    const fields = new Map<string, TextPlace>();
    const set = (field: string, found: PlacedValue): void => {
      setField(value, field, found.value);
      fields.set(field, found.place);
    };
    for (const [field, found] of Object.entries(start)) set(field, found);
    for (const node of nodes) {
      const known = Object.hasOwn(level.nodes, node.name.name) ? level.nodes[node.name.name] : undefined;
      if (known === undefined) {
        this.ignoreNode(node, level);
        continue;
      }
      const field = known.field ?? node.name.name;
      if (known.renamed) this.reportRenamed(node, field);
      const found = this.take(node, known.take);
      if (found === undefined) continue;
      const before = value[field];
      if (Array.isArray(before) && gathers(known.take)) {
        set(field, joined({ value: before, place: fields.get(field) ?? found.place }, found));
      } else set(field, found);
    }
    return { value, place: { at, fields } };
  }

  private take(node: Node, take: Take): PlacedValue | undefined {
    if (typeof take === 'object') return 'level' in take ? this.child(node, take.level) : this.record(node, take.items);
    switch (take) {
      case 'text':
        return this.argument(node, ['string'], 'a string');
      case 'integer':
        return this.argument(node, ['integer'], 'a whole number');
      case 'flag':
        return this.argument(node, ['boolean'], '#true or #false');
      case 'texts':
        return this.arguments(
          node,
          'string',
          `${node.name.name === 'labels' ? 'job ' : ''}${node.name.name} must be string values`,
        );
      case 'integers':
        return this.arguments(node, 'integer', undefined);
      case 'each': {
        const found = this.argument(node, ['string'], 'a string');
        return (
          found && {
            value: [found.value],
            place: { at: found.place.at, keyAt: startOfNode(node), items: [found.place] },
          }
        );
      }
      case 'textMap':
        return this.map(node, ['string']);
      case 'freeMap':
        return this.map(node, ['string', 'integer', 'float', 'boolean', 'null']);
      case 'json':
        return this.json(node);
    }
  }

  private child(node: Node, level: Level): PlacedValue {
    for (const entry of node.entries) this.ignoreEntry(node, entry);
    const found = this.level(node.children?.nodes ?? [], level, {}, startOfNode(node));
    return { value: found.value, place: { ...found.place, keyAt: startOfNode(node) } };
  }

  private record(node: Node, level: Level): PlacedValue | undefined {
    const start: Record<string, PlacedValue> = {};
    const { named } = level;
    let isNamed = false;
    for (const entry of node.entries) {
      const property = entry.name?.name;
      const found = foundIn(entry);
      if (property === undefined && named !== undefined && !isNamed) {
        isNamed = true;
        if (valueKindOf(found.value) === 'string') start[named] = found;
      } else if (property !== undefined && level.properties?.includes(property) === true) {
        const isFlag = level.nodes[property]?.take === 'flag';
        if (valueKindOf(found.value) === (isFlag ? 'boolean' : 'string')) start[property] = found;
        else this.ignoreValue(node, found, isFlag ? 'a boolean' : 'a string');
      } else this.ignoreEntry(node, entry);
    }
    if (named !== undefined && start[named] === undefined)
      this.refuse(`${level.called} must have a ${named}`, startOfNode(node));
    const { value, place } = this.level(node.children?.nodes ?? [], level, start, startOfNode(node));
    for (const field of level.needed ?? []) {
      if (Object.hasOwn(value, field) || Object.hasOwn(value, level.instead?.[field] ?? '')) continue;
      this.refuse(`${level.called} must have a ${field} property`, startOfNode(node));
      // An empty value, so that no later check repeats the problem.
      value[field] = '';
    }
    if (named !== undefined) value[named] ??= '';
    return { value: [value], place: { at: startOfNode(node), items: [place] } };
  }

  /** The first argument, if it is of a kind that Torc reads. */
  private argument(node: Node, kinds: readonly ValueKind[], wanted: string): PlacedValue | undefined {
    const [first, ...rest] = node.entries.filter((entry) => entry.isArgument());
    for (const entry of node.entries) if (rest.includes(entry) || entry.isProperty()) this.ignoreEntry(node, entry);
    this.ignoreChildren(node);
    const found = first && foundIn(first);
    if (found !== undefined && kinds.includes(valueKindOf(found.value))) {
      return { value: found.value, place: { ...found.place, keyAt: startOfNode(node) } };
    }
    this.ignoreValue(node, found, wanted);
    return undefined;
  }

  private arguments(node: Node, kind: ValueKind, refusal: string | undefined): PlacedValue {
    const items: PlacedValue[] = [];
    this.ignoreChildren(node);
    for (const entry of node.entries) {
      const found = foundIn(entry);
      if (entry.isProperty()) this.ignoreEntry(node, entry);
      else if (valueKindOf(found.value) === kind) items.push(found);
      else if (refusal === undefined) this.ignoreValue(node, found, 'whole numbers');
      else this.refuse(refusal, found.place.at);
    }
    const at = startOfNode(node);
    return {
      value: items.map(({ value }) => value),
      place: { at, keyAt: at, items: items.map(({ place }) => place) },
    };
  }

  private map(node: Node, kinds: readonly ValueKind[]): PlacedValue {
    const value: Record<string, Value> = {};
    const fields = new Map<string, TextPlace>();
    for (const entry of node.entries) this.ignoreEntry(node, entry);
    for (const child of node.children?.nodes ?? []) {
      const key = child.name.name;
      const [first, ...rest] = child.entries;
      for (const entry of rest) this.ignoreEntry(child, entry);
      this.ignoreChildren(child);
      const found = first && foundIn(first);
      if (found === undefined || !kinds.includes(valueKindOf(found.value))) {
        this.refuse(
          `${KEYS[node.name.name] ?? `${node.name.name} key`} '${key}' must have a string value`,
          startOfNode(child),
        );
        continue;
      }
      setField(value, key, found.value);
      fields.set(key, { ...found.place, keyAt: startOfNode(child) });
    }
    return { value, place: { at: startOfNode(node), keyAt: startOfNode(node), fields } };
  }

  private json(node: Node): PlacedValue | undefined {
    const found = this.argument(node, ['string'], 'JSON text');
    if (typeof found?.value !== 'string') return undefined;
    try {
      return { value: strictJson(found.value), place: found.place };
    } catch (cause) {
      if (!(cause instanceof Unreadable)) throw cause;
      this.refuse(`${node.name.name} is not JSON: ${cause.message}`, found.place.at);
      return { value: null, place: found.place };
    }
  }
}

const KEYS: Readonly<Record<string, string>> = {
  parameters: 'Parameter',
  variables: 'Variable',
  env: 'Environment key',
};

/** Whether a second node of the name adds to the list, rather than replacing the first one. */
const gathers = (take: Take): boolean =>
  take === 'each' || take === 'texts' || take === 'integers' || (typeof take === 'object' && 'items' in take);

const joined = (before: PlacedValue, found: PlacedValue): PlacedValue => {
  // Changed in place: a workflow of 20,000 jobs would otherwise copy the list 20,000 times.
  if (Array.isArray(before.value) && Array.isArray(found.value))
    for (const each of found.value) before.value.push(each);
  if (Array.isArray(before.place.items)) for (const each of found.place.items ?? []) before.place.items.push(each);
  return before;
};

/** Strings, raw strings and comments of KDL, in which braces mean nothing, and the braces. */
const PIECE = /(#*)"""[\s\S]*?"""\1|(#+)"[\s\S]*?"\2|"(?:\\[\s\S]|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}]/g;

/** The position of the brace that opens one level more than so many; undefined where none does. */
export function tooDeep(text: string, most: number): number | undefined {
  let depth = 0;
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    if (piece === '{' && ++depth > most) return index;
    if (piece === '}') depth--;
  }
  return undefined;
}

/** The position of the innermost brace that is never closed; undefined where each is. */
export function openBrace(text: string): number | undefined {
  const open: number[] = [];
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    if (piece === '{') open.push(index);
    else if (piece === '}') open.pop();
  }
  return open.at(-1);
}
