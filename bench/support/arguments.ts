import { readFileSync } from 'node:fs';

/**
 * The arguments of this measurement: numbers in this order, each with its usual value, and words after them where it takes some.
 *
 * `--help` prints the comment at the beginning of the program. An argument that it does not take ends it with exit code 2:
 * measured with a size that is no number, every figure would be wrong.
 */
export function argumentsOf<Usual extends Readonly<Record<string, number | undefined>>>(
  usual: Usual,
  takesWords?: 'words',
): Usual & { readonly words: readonly string[] } {
  const given = process.argv.slice(2);
  if (given.includes('--help') || given.includes('-h')) {
    console.log(usageOf(readFileSync(process.argv[1] as string, 'utf8')));
    process.exit(0);
  }
  const read = readArguments(usual, given, takesWords === 'words');
  return typeof read === 'string' ? refuse(read) : read;
}

/** The number in a word. */
export function amountOf(text: string): number {
  const value = Number(text);
  return value > 0 && value < Infinity ? value : refuse(`expected a number above 0, found ${text}`);
}

function refuse(message: string): never {
  console.error(`${message}\n\n${usageOf(readFileSync(process.argv[1] as string, 'utf8'))}`);
  process.exit(2);
}

/** The values, or what is wrong with an argument. */
export function readArguments<Usual extends Readonly<Record<string, number | undefined>>>(
  usual: Usual,
  given: readonly string[],
  takesWords: boolean,
): (Usual & { readonly words: readonly string[] }) | string {
  const names = Object.keys(usual);
  const option = given.find((text) => text.startsWith('-'));
  if (option !== undefined) return `unknown argument ${option}`;
  const words = given.slice(names.length);
  if (words.length > 0 && !takesWords) return `unknown argument ${words[0]}`;
  const values: Record<string, number> = {};
  for (const [index, name] of names.entries()) {
    const text = given[index];
    if (text === undefined) continue;
    const value = Number(text);
    if (!(value > 0 && value < Infinity)) return `${name}: expected a number above 0, found ${text}`;
    values[name] = value;
  }
  return { ...usual, ...values, words };
}

/** The comment at the beginning of a program, as text. */
export function usageOf(source: string): string {
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(source)?.[1] ?? '';
  return comment
    .split('\n')
    .map((line) => line.replace(/^ ?\* ?/, ''))
    .join('\n')
    .trim();
}
