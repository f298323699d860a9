import { indexIn, type Axes, type PlacedAxis } from './axes.ts';
import { printerOf, type Printer } from './parameter-value.ts';
import { quoteContexts, shellQuoted, type QuoteContext } from './shell-quote.ts';

/**
 * A text with parameter tokens, taken apart once and written out for any combination in about a microsecond.
 *
 * `{name}` and `{name:format}` are replaced wherever they stand, `{{name}}` and `${name}` too; a value that looks like
 * a token is not looked at again. Braces around anything but a parameter stay as they are. `{name:q}` writes the value as
 * bash reads it back, whatever quotes the token stands in.
 */
export interface Template {
  /** The text, if it contains no token. */
  readonly fixed: string | undefined;
  /** The axes that it uses, each once. */
  readonly axes: readonly PlacedAxis[];
  render(combination: number): string;
}

/**
 * The template of a text; without axes there are no tokens. `before` is what stands before it in the same command: the quotes that are
 * open there decide how a value is quoted here.
 */
export function templateOf(text: string, axes: Axes | undefined, before = ''): Template {
  const slots = axes === undefined || !text.includes('{') ? [] : slotsOf(text, axes.axes);
  if (slots.length === 0) return new Fixed(text);
  return new Slotted(text, slots, before);
}

/** What stands beside values in a text, whatever these are: all braces without others in them are left out. */
export const withoutTokens = (text: string): string => text.replaceAll(/\{[^{}]*\}/g, '');

/** A token in a text: where it stands, whose value replaces it, and how that is printed. */
export interface Slot {
  readonly start: number;
  readonly end: number;
  readonly axis: PlacedAxis;
  readonly format: string | undefined;
}

/** Is the value written as one word of a shell command? `{name:raw}` never is. */
export const isQuoted = ({ axis, format }: Slot): boolean =>
  format === 'q' || (axis.isQuoted === true && format !== 'raw');

const UNQUOTED: QuoteContext = { quotes: 'none', inBackquotes: false };

class Fixed implements Template {
  readonly fixed: string;
  readonly axes: readonly PlacedAxis[] = [];

  constructor(text: string) {
    this.fixed = text;
  }

  render(): string {
    return this.fixed;
  }
}

class Slotted implements Template {
  readonly fixed = undefined;
  readonly axes: readonly PlacedAxis[];
  private readonly first: string;
  private readonly parts: readonly { readonly write: (combination: number) => string; readonly after: string }[];

  constructor(text: string, slots: readonly Slot[], before: string) {
    this.axes = [...new Set(slots.map(({ axis }) => axis))];
    this.first = text.slice(0, slots[0]?.start);
    const contexts = slots.some(isQuoted)
      ? quoteContexts(
          before + text,
          slots.map(({ start }) => before.length + start),
        )
      : [];
    this.parts = slots.map((slot, index) => ({
      write: writerOf(slot, text.slice(slot.start, slot.end), contexts[index] ?? UNQUOTED),
      after: text.slice(slot.end, slots[index + 1]?.start),
    }));
  }

  render(combination: number): string {
    let result = this.first;
    for (const { write, after } of this.parts) result += write(combination) + after;
    return result;
  }
}

/** The tokens of a text, in their order. */
export function slotsOf(text: string, axes: readonly PlacedAxis[]): Slot[] {
  const byName = new Map(axes.map((axis) => [axis.name, axis]));
  const slots: Slot[] = [];
  for (let start = text.indexOf('{'); start >= 0; start = text.indexOf('{', start + 1)) {
    const close = text.indexOf('}', start);
    if (close < 0) break;
    const inner = text.slice(start + 1, close);
    const colon = inner.indexOf(':');
    const plain = byName.get(inner);
    const axis = plain ?? (colon < 0 ? undefined : byName.get(inner.slice(0, colon)));
    if (axis === undefined) continue;
    slots.push({ start, end: close + 1, axis, format: plain === undefined ? inner.slice(colon + 1) : undefined });
    start = close;
  }
  return slots;
}

// Up to this many texts of an axis are cached: a sweep of 1,000 × 1,000 writes each a thousand times. More would use
// the memory that lazy expansion saves.
const KEPT_TEXTS = 65_536;

function writerOf(slot: Slot, token: string, context: QuoteContext): (combination: number) => string {
  const { axis, format } = slot;
  const plain = printerOf(format);
  const print: Printer = isQuoted(slot) ? (value) => shellQuoted(plain(value), context) : plain;
  const { length } = axis.values;
  if (length > KEPT_TEXTS) return (combination) => textAt(axis, indexIn(axis, combination), print, token);
  const texts = keptTexts(axis, isQuoted(slot) ? `${context.quotes} ${context.inBackquotes} ${token}` : token);
  const { stride } = axis;
  return (combination) => {
    const index = Math.floor(combination / stride) % length;
    return (texts[index] ??= textAt(axis, index, print, token));
  };
}

const kept = new WeakMap<PlacedAxis, Map<string, (string | undefined)[]>>();

/** The texts of an axis for one token, shared by all templates of a family. */
function keptTexts(axis: PlacedAxis, token: string): (string | undefined)[] {
  const byToken = kept.get(axis) ?? new Map<string, (string | undefined)[]>();
  kept.set(axis, byToken);
  const texts = byToken.get(token) ?? Array.from<string | undefined>({ length: axis.values.length });
  byToken.set(token, texts);
  return texts;
}

function textAt(axis: PlacedAxis, index: number, print: Printer, token: string): string {
  const value = axis.values.at(index);
  return value === undefined ? token : print(value);
}

/**
 * Calls back once for each different set of values of a template's axes, with one combination that has it.
 *
 * For checks of a text that does not name every axis: a label `{os}` in a sweep of a million is checked a few times.
 */
export function eachDistinct(of: Template, all: Axes | undefined, call: (combination: number) => void): void {
  const count = all?.count ?? 1;
  if (count === 0) return;
  const isProduct = new Set(of.axes.map(({ stride }) => stride)).size === of.axes.length;
  if (of.fixed !== undefined) call(0);
  else if (!isProduct || of.axes.length === 0) for (let index = 0; index < count; index += 1) call(index);
  else visit(of.axes, 0, 0, call);
}

function visit(axes: readonly PlacedAxis[], depth: number, base: number, call: (combination: number) => void): void {
  const axis = axes[depth];
  if (axis === undefined) return call(base);
  for (let index = 0; index < axis.values.length; index += 1) visit(axes, depth + 1, base + index * axis.stride, call);
}
