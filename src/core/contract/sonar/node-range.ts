/**
 * Node ranges: host names in brief. Brackets introduce a list of numbers and ranges of numbers, and a name may have
 * several: `c[1-3,5]-[2-4].fox` is twelve names, the leftmost bracket changing slowest. One text may hold several
 * ranges with commas between them. `[001-010]` keeps the width of its numbers.
 */

/** A larger range is refused before it is expanded: a text of twenty characters can name all memory. */
const GREATEST_RANGE = 100_000;

class RangeMalformed extends Error {
  constructor(text: string, reason: string) {
    super(`not a node range: "${text.length > 200 ? `${text.slice(0, 200)}…` : text}": ${reason}`);
    this.name = 'RangeMalformed';
  }
}

interface Item {
  readonly first: bigint;
  readonly last: bigint;
  readonly width: number;
}

type Part = string | readonly Item[];

/**
 * The names of one or several ranges, in their order.
 *
 * Throws: `RangeMalformed` for an empty element, blanks, nesting, a first number above the second, a number that is
 * repeated, and for more than 100,000 names.
 */
export function expandNodeRange(text: string): string[] {
  const elements = elementsOf(text);
  const total = elements.reduce((sum, parts) => sum + countOf(parts), 0n);
  if (total > BigInt(GREATEST_RANGE)) throw new RangeMalformed(text, `it has ${total} names; expected at most 100000`);
  return elements.flatMap(namesOf);
}

/** Why a text is no range, or undefined if it is one. */
export function rangeProblem(text: string): string | undefined {
  try {
    expandNodeRange(text);
    return undefined;
  } catch (error) {
    if (error instanceof RangeMalformed) return error.message;
    throw error;
  }
}

const countOf = (parts: readonly Part[]): bigint =>
  parts.reduce(
    (product, part) =>
      typeof part === 'string' ? product : product * part.reduce((sum, { first, last }) => sum + last - first + 1n, 0n),
    1n,
  );

function namesOf(parts: readonly Part[]): string[] {
  let names = [''];
  for (const part of parts) {
    const texts = typeof part === 'string' ? [part] : part.flatMap(textsOf);
    names = names.flatMap((name) => texts.map((each) => name + each));
  }
  return names;
}

const textsOf = ({ first, last, width }: Item): string[] =>
  Array.from({ length: Number(last - first) + 1 }, (_, index) => String(first + BigInt(index)).padStart(width, '0'));

const LITERAL = /^[A-Za-z0-9._\u0080-\u{10ffff}-]+$/u;

function elementsOf(text: string): Part[][] {
  const elements: Part[][] = [];
  let parts: Part[] = [];
  let at = 0;
  while (at <= text.length) {
    const rest = text.slice(at);
    if (rest === '' || rest.startsWith(',')) {
      if (parts.length === 0) throw new RangeMalformed(text, 'expected a name, found nothing');
      elements.push(parts);
      parts = [];
      at += 1;
      continue;
    }
    const length = rest.startsWith('[') ? rest.indexOf(']') + 1 : endOfLiteral(rest);
    if (length === 0) throw new RangeMalformed(text, 'expected "]" after "["');
    const piece = rest.slice(0, length);
    if (piece.startsWith('[')) parts.push(itemsOf(text, piece.slice(1, -1)));
    else if (LITERAL.test(piece)) parts.push(piece);
    else throw new RangeMalformed(text, `expected letters, digits, ".", "-" and "_", found "${piece}"`);
    at += length;
  }
  return elements;
}

function endOfLiteral(rest: string): number {
  const end = rest.search(/[[,]/);
  return end === -1 ? rest.length : end;
}

function itemsOf(text: string, list: string): Item[] {
  const items = list.split(',').map((each) => {
    const found = /^(\d{1,20})(?:-(\d{1,20}))?$/.exec(each);
    if (found === null) throw new RangeMalformed(text, `expected numbers such as 1-3,5 in brackets, found "${each}"`);
    const [, from = '', to = from] = found;
    const item = { first: BigInt(from), last: BigInt(to), width: from.startsWith('0') ? from.length : 0 };
    if (item.last < item.first) throw new RangeMalformed(text, `${each}: the first number is above the second`);
    return item;
  });
  const sorted = items.toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  // 1 and 01 are different names.
  for (const [index, item] of sorted.entries())
    for (const next of sorted.slice(index + 1)) {
      if (next.first > item.last) break;
      if (textOverlaps(item, next)) throw new RangeMalformed(text, `${next.first} is repeated`);
    }
  return items;
}

/** Two items that share a number also share a name, unless they pad it differently. */
function textOverlaps(one: Item, other: Item): boolean {
  const shared = one.last < other.last ? one.last : other.last;
  const digits = (value: bigint, { width }: Item) => String(value).padStart(width, '0');
  return digits(shared, one) === digits(shared, other) || digits(other.first, one) === digits(other.first, other);
}

/** The nodes of ranges; ranges that are malformed have none. */
export const nodesIn = (ranges: readonly string[]): string[] =>
  ranges.flatMap((range) => (rangeProblem(range) === undefined ? expandNodeRange(range) : []));

/** The part of a node's name before its first dot. Slurm often uses the short name and the node itself the full one. */
export const firstLabelOf = (node: string): string => node.split('.', 1)[0] ?? node;
