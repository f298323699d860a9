/**
 * Text from files, servers and programs, made safe for a terminal.
 *
 * A name can contain the sequences with which a program controls a terminal: they move the cursor, change what was
 * printed before, set the title, or make some terminals type. So control characters are shown as `\u001b`, which JSON
 * and TOML read as the same character. Characters that change the direction of writing are shown too, because they hide
 * what is executed. Line breaks and tabs stay.
 */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, shown);

/**
 * The same for text that must stay on one line.
 *
 * Each line of a log passes here, and nearly none has such a character: the search for one takes a tenth of the time of a
 * replacement that finds nothing.
 */
export const printableLine = (text: string): string =>
  STEERS.test(text) ? text.replaceAll(/[\t\n]/g, shown).replaceAll(UNPRINTABLE, shown) : text;

/** C0 except line breaks and tabs, DEL and C1; then the marks that embed, override or isolate a direction. */
// eslint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const STEERS = new RegExp(`[\t\n]|${UNPRINTABLE.source}`);

function shown(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 9) return String.raw`\t`;
  if (code === 10) return String.raw`\n`;
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** What a terminal shows of a line in the end: a progress bar returns to the begin of its line, and writes over what stands there. */
export const lastState = (line: string): string => line.replace(/\r+$/, '').split('\r').at(-1) ?? '';
