import type { Command } from '../command/command.ts';
import { globalsOf } from '../command/settings.ts';
import { shortOf } from './short-options.ts';

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
