import { commandsOf } from './commands.ts';
import type { Command } from '../command/command.ts';
import type { Option } from '../command/option.ts';
import { globalsOf } from '../command/settings.ts';

/** A one-letter option, what it stands for, and where. */
export interface ShortOption {
  /** `-n`. */
  readonly letter: string;
  /** `--name`. */
  readonly long: string;
  /** Of each command that has it: its words, or '' for the options of every command. */
  readonly commands: readonly string[];
}

/** The one-letter options of a program by letter, the meaning with most commands first. */
export async function shortOptionsOf(program: string): Promise<readonly ShortOption[]> {
  const own = (await commandsOf(program)).flatMap(({ words, options = [] }) =>
    options.flatMap((option) => shortOf(option, words.replace(/ *[<[].*/, ''))),
  );
  const all = [...globalsOf(program).flatMap((option) => shortOf(option, '')), ...own];
  return [...Map.groupBy(all, ({ letter, long }) => `${letter} ${long}`).values()]
    .map(([first, ...others]) => ({
      letter: (first as Short).letter,
      long: (first as Short).long,
      commands: [first as Short, ...others].map(({ command }) => command),
    }))
    .toSorted(
      (one, other) =>
        one.letter.localeCompare(other.letter) ||
        other.commands.length - one.commands.length ||
        one.long.localeCompare(other.long),
    );
}

interface Short {
  readonly letter: string;
  readonly long: string;
  readonly command: string;
}

function shortOf({ flags }: Option, command: string): Short[] {
  const [, letter, long] = /^(-\w), (--[\w-]+)/.exec(flags) ?? [];
  return letter === undefined || long === undefined ? [] : [{ letter, long, command }];
}

/**
 * What a letter means after a command, where the same letter before it is an option of every command: `-s` is `--standalone`,
 * and after `jobs list` it is `--status`. Undefined if the arguments do not have such a letter.
 */
export function sameLetter(
  program: string,
  { words, options = [] }: Command,
  argv: readonly string[],
): string | undefined {
  const command = words.replace(/ *[<[].*/, '');
  const behind = argv.slice(argv.indexOf(command.split(' ').at(-1) ?? '') + 1);
  for (const option of options) {
    const [own] = shortOf(option, command);
    const global = globalsOf(program)
      .flatMap((each) => shortOf(each, ''))
      .find(({ letter }) => letter === own?.letter);
    if (own === undefined || global === undefined || own.long === global.long || !behind.includes(own.letter)) continue;
    const meaning = option.flags.replace(`${own.letter}, `, '');
    return `After ${program} ${command}, ${own.letter} is ${meaning}: ${option.says}. For ${global.long} write it before the command: ${program} ${own.letter} ${command}`;
  }
  return undefined;
}
