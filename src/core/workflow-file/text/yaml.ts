import {
  CORE_SCHEMA,
  constructFromEvents,
  defineScalarTag,
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  getScalarValue,
  NOT_RESOLVED,
  parseEvents,
  SCALAR_STYLE_DOUBLE_QUOTED,
  SCALAR_STYLE_SINGLE_QUOTED,
  YAMLException,
  type Event,
} from 'js-yaml';
import { Unreadable, type TextPlace, type ParsedText } from '../../json/place.ts';
import { numberOf, type Value } from './value.ts';

const INTEGER = /^[+-]?(?:0|[1-9]\d*|0x[0-9a-fA-F]+|0o[0-7]+|0b[01]+)$/;
const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const NOT_FINITE = /^(?:[+-]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const DIGITS = '+-.0123456789'.split('');

// `007` is text, as for Torc: a name of digits keeps its zeros. YAML 1.2 would read it as 7.
const integer = defineScalarTag<Value>('tag:yaml.org,2002:int', {
  implicit: true,
  implicitFirstChars: DIGITS,
  identify: () => false,
  resolve: (source) => {
    if (!INTEGER.test(source)) return NOT_RESOLVED;
    const size = Number(source.replace(/^[+-]/, ''));
    return numberOf(source.replace(/^\+/, ''), source.startsWith('-') ? -size : size, false);
  },
});

const float = defineScalarTag<Value>('tag:yaml.org,2002:float', {
  implicit: true,
  implicitFirstChars: DIGITS,
  identify: () => false,
  resolve: (source) => {
    if (NOT_FINITE.test(source)) return null;
    if (!FLOAT.test(source) || /^[+-]?0\d/.test(source)) return NOT_RESOLVED;
    return numberOf(source, Number(source), true);
  },
});

const SCHEMA = CORE_SCHEMA.withTags(integer, float);

// An alias is cheap to write and expensive to read: ten lines can represent a billion values. A real file of 100,000
// jobs has about two million; a larger one is an attack, or should use parameters.
const MOST_VALUES = 20_000_000;

/**
 * YAML 1.2: aliases are followed, `<<` is an ordinary key, of two equal keys the last counts.
 *
 * Throws: `Unreadable`, also for more than one document, an alias within its own anchor and aliases that expand to too
 * many values.
 */
export function readYaml(text: string, onDuplicate: (key: string, at: number) => void): ParsedText<Value> {
  try {
    const events = parseEvents(text, {});
    refuseBombs(events, text);
    const value = construct(events, text, onDuplicate);
    return { value, places: () => placesOf(parseEvents(text, {}), text, () => {}) };
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    throw new Unreadable(cause.reason, cause.mark?.position, { cause });
  }
}

function construct(events: Event[], text: string, onDuplicate: (key: string, at: number) => void): Value {
  const documents = (json: boolean): Value => {
    const read = constructFromEvents(events, { source: text, schema: SCHEMA, json });
    if (read.length > 1) throw new Unreadable('more than one document');
    return (read[0] ?? null) as Value;
  };
  try {
    return documents(false);
  } catch (cause) {
    if (!(cause instanceof YAMLException) || cause.reason !== 'duplicated mapping key') throw cause;
    placesOf(events, text, onDuplicate);
    return documents(true);
  }
}

/** Counts the values of the aliases without expanding them. */
function refuseBombs(events: readonly Event[], text: string): void {
  if (!events.some((event) => event.type === EVENT_ALIAS)) return;
  const sizes = new Map<string, number>();
  const open: { anchor: string | undefined; size: number }[] = [{ anchor: undefined, size: 0 }];
  const anchorOf = (event: { anchorStart: number; anchorEnd: number }): string | undefined =>
    event.anchorStart < 0 ? undefined : text.slice(event.anchorStart, event.anchorEnd);
  for (const event of events) {
    const inner = open.at(-1);
    if (inner === undefined) return;
    if (event.type === EVENT_DOCUMENT) open.push({ anchor: undefined, size: 0 });
    else if (event.type === EVENT_SCALAR) {
      inner.size += 1;
      const anchor = anchorOf(event);
      if (anchor !== undefined) sizes.set(anchor, 1);
    } else if (event.type === EVENT_ALIAS) {
      const anchor = anchorOf(event) ?? '';
      if (open.some((one) => one.anchor === anchor)) {
        throw new Unreadable(`alias *${anchor} stands within what it names`, event.anchorStart);
      }
      inner.size += sizes.get(anchor) ?? 1;
    } else if (event.type === EVENT_POP) {
      open.pop();
      if (inner.anchor !== undefined) sizes.set(inner.anchor, inner.size);
      const outer = open.at(-1);
      if (outer !== undefined) outer.size += inner.size;
    } else open.push({ anchor: anchorOf(event), size: 1 });
    if (inner.size > MOST_VALUES) throw new Unreadable(`aliases unfold to more than ${MOST_VALUES} values`);
  }
}

/** The places of all values, from the events of the parser; reports duplicate keys. */
function placesOf(events: readonly Event[], text: string, onDuplicate: (key: string, at: number) => void): TextPlace {
  const anchors = new Map<string, TextPlace>();
  let next = 0;
  const read = (): TextPlace => {
    const event = events[next];
    next += 1;
    if (event === undefined || event.type === EVENT_DOCUMENT || event.type === EVENT_POP) return { at: 0 };
    if (event.type === EVENT_ALIAS) {
      const named = anchors.get(text.slice(event.anchorStart, event.anchorEnd));
      // The place is that of the alias, not of the text that it refers to.
      return { ...named, at: event.anchorStart - 1, end: event.anchorEnd };
    }
    const place = placeOf(event);
    if (event.anchorStart >= 0) anchors.set(text.slice(event.anchorStart, event.anchorEnd), place);
    return place;
  };
  const placeOf = (event: Event): TextPlace => {
    if (event.type === EVENT_SCALAR) return { at: event.valueStart - (isQuoted(event) ? 1 : 0), end: event.valueEnd };
    if (event.type === EVENT_SEQUENCE) {
      const items: TextPlace[] = [];
      while (events[next] !== undefined && events[next]?.type !== EVENT_POP) items.push(read());
      next += 1;
      return { at: event.start, items };
    }
    if (event.type !== EVENT_MAPPING) return { at: 0 };
    const fields = new Map<string, TextPlace>();
    while (events[next] !== undefined && events[next]?.type !== EVENT_POP) {
      const keyEvent = events[next];
      const key = keyEvent?.type === EVENT_SCALAR ? getScalarValue(text, keyEvent) : '';
      const keyAt = read().at;
      const value = read();
      if (fields.has(key)) onDuplicate(key, keyAt);
      // An empty value has no position; its key has one.
      fields.set(key, { ...value, at: value.at < 0 ? keyAt : value.at, keyAt });
    }
    next += 1;
    return { at: event.start, fields };
  };
  while (events[next]?.type === EVENT_DOCUMENT) next += 1;
  return read();
}

const isQuoted = ({ style }: Extract<Event, { type: typeof EVENT_SCALAR }>): boolean =>
  style === SCALAR_STYLE_SINGLE_QUOTED || style === SCALAR_STYLE_DOUBLE_QUOTED;
