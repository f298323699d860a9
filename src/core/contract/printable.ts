/**
 * Text from files, servers and programs as it may be shown on a terminal.
 *
 * A name can hold the sequences by which a program steers a terminal: they move the cursor, change what was printed before, set
 * the title, or make some terminals type. So control characters are shown as `\u001b`, which JSON and TOML read as the same; characters that change the direction of
 * writing are shown too, because what they hide is read otherwise than it is carried out. Line breaks and tabs stay.
 */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, shown);

/** The same for a text that must stay on its line. */
export const printableLine = (text: string): string => text.replaceAll(/[\t\n]/g, shown).replaceAll(UNPRINTABLE, shown);

/** C0 but for line breaks and tabs, DEL and C1; then the marks that embed, override or isolate a direction. */
// eslint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function shown(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 9) return String.raw`\t`;
  if (code === 10) return String.raw`\n`;
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
