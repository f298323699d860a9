import { grouped } from './count-text.ts';

/** A name may have a million characters, and a person reads the first. Longer words of other texts are data: for `-f json`. */
const LONGEST_WORD = 1_000;
/** A name may have blanks, too. A message of more characters on one line is none that a person reads. */
const LONGEST_LINE = 20_000;

const LONG_WORD = new RegExp(String.raw`\S{${LONGEST_WORD + 1},}`, 'gu');
const LONG_LINE = new RegExp(`.{${LONGEST_LINE + 1},}`, 'gu');

/**
 * A text for a person: of each word and of each line that is longer, the beginning and the number of its characters.
 *
 * For tables, messages and progress; not for JSON and CSV, and not for records, whose data may be one long word.
 */
export const withShortWords = (text: string): string =>
  text.length <= LONGEST_WORD ? text : cut(cut(text, LONG_WORD, LONGEST_WORD), LONG_LINE, LONGEST_LINE);

const cut = (text: string, long: RegExp, most: number): string =>
  text.replaceAll(long, (part) => `${part.slice(0, most).toWellFormed()}… (${grouped(part.length)} characters)`);
