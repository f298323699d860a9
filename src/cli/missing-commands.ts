/** Commands of Torc 1.0 that this program does not have yet, each with what does its work here. */
const missing: Readonly<Record<string, string>> = {
  self: 'The torc self update of Torc 1.0 is not there yet. Install the newer package file with npm, as the first one.',
};

/** What to say behind "unknown command" to a person who knows Torc 1.0. */
export const missingCommand = (argv: readonly string[]): string | undefined =>
  missing[argv.find((word) => !word.startsWith('-') && Object.hasOwn(missing, word)) ?? ''];
