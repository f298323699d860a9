import { withoutNumbers } from './without-numbers.ts';

/** Things whose names and texts differ only in numbers. */
export interface Alike<Item> {
  readonly items: readonly Item[];
  /** The name of a single one, or the one of all with `#` for the numbers that differ. */
  readonly name: string;
  /** The same of their text. */
  readonly text: string;
}

/** Groups what a person reads as one line: `align_#` for fifty jobs with `raw/#.fastq is newer`, in the order of the first of each. */
export function alikeOf<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  textOf: (item: Item) => string,
): Alike<Item>[] {
  const groups = new Map<string, { items: Item[]; name: Folded; text: Folded }>();
  for (const item of items) {
    const [name, text] = [nameOf(item), textOf(item)];
    const key = `${withoutNumbers(name)}\0${withoutNumbers(text)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { items: [item], name: foldedOf(name), text: foldedOf(text) });
    else {
      group.items.push(item);
      fold(group.name, name);
      fold(group.text, text);
    }
  }
  return [...groups.values()].map((group) => ({ ...group, name: textIn(group.name), text: textIn(group.text) }));
}

/** What stands between the numbers of a text, and the numbers: `#` for one that differs. */
interface Folded {
  readonly between: readonly string[];
  readonly numbers: string[];
}

const NUMBER = /\d+(?:\.\d+)?/g;

const foldedOf = (text: string): Folded => ({ between: text.split(NUMBER), numbers: text.match(NUMBER) ?? [] });

function fold({ numbers }: Folded, text: string): void {
  for (const [index, number] of (text.match(NUMBER) ?? []).entries())
    if (numbers[index] !== number) numbers[index] = '#';
}

const textIn = ({ between, numbers }: Folded): string =>
  between.map((part, index) => part + (numbers[index] ?? '')).join('');
