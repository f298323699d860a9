import { type Option, optionName, type Values } from '../command/option.ts';
import { torcGroups } from './torc.ts';
import { SAME_SERVER } from '../command/settings.ts';
import { shellWord } from '../../core/text/shell-word.ts';

const WORDS = new Set(torcGroups.map(({ word }) => word));
const COMMAND = new RegExp(`\\btorc(?= (?:${[...WORDS].join('|')})\\b)`, 'g');

/** An option as it was given on the command line. */
export interface GivenOption {
  readonly option: Option;
  readonly value: unknown;
}

/** Global options without which another command would talk to another server, or not be let in. */
const CONNECTING: ReadonlySet<string> = new Set([...SAME_SERVER, 'promptPassword']);

/** Secrets do not belong on a screen or into the log of a build. A database in memory is on disk when the command has ended. */
const INSTEAD: Readonly<Record<string, string>> = {
  password: '--prompt-password',
  cookieHeader: "--cookie-header '…'",
};

export const connecting = (options: readonly Option[]): readonly Option[] =>
  options.filter((option) => CONNECTING.has(optionName(option)));

/** The options of a table that were given on the command line. */
export const givenOf = (
  options: readonly Option[],
  values: Values,
  isGiven: (name: string) => boolean,
): readonly GivenOption[] =>
  options
    .filter((option) => isGiven(optionName(option)))
    .map((option) => ({ option, value: values[optionName(option)] }));

/** The options as words of a shell: `-s --db 'my runs/torc.db'`. */
export const optionWords = (given: readonly GivenOption[]): string =>
  [...new Set(given.flatMap(({ option, value }) => INSTEAD[optionName(option)] ?? wordsOf(option, value)))].join(' ');

/**
 * A hint with the options that reach the same server: `torc run 1` becomes `torc -s --db my.db run 1`.
 *
 * Every `torc` that is followed by the first word of a command gets them, so a sentence may hold more than one command.
 */
export function withOptions(hint: string, given: readonly GivenOption[]): string {
  const words = optionWords(given);
  return words === '' ? hint : hint.replaceAll(COMMAND, () => `torc ${words}`);
}

function wordsOf({ flags }: Option, value: unknown): string[] {
  if (value === false || value === undefined) return [];
  const names = flags.split(/,\s*/).map((part) => part.split(' ')[0] as string);
  const short = names[0] as string;
  if (value === true) return [short];
  return (Array.isArray(value) ? value : [value]).map((each) => {
    const text = String(each);
    // Behind a blank it would be read as another option.
    return text.startsWith('-') ? `${names.at(-1)}=${shellWord(text)}` : `${short} ${shellWord(text)}`;
  });
}
