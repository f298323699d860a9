/** Commands of Torc 1.0 that this program does not have yet, each with what does its work here. */
const missing: Readonly<Record<string, string>> = {
  self: 'The torc self update of Torc 1.0 is not there yet. Install the newer package file with npm, as the first one.',
};

/** Commands that people look for without their group. */
const elsewhere: Readonly<Record<string, string>> = {
  explain: 'jobs explain JOB',
  diagnose: 'workflows diagnose WORKFLOW',
  init: 'workflows init WORKFLOW',
  list: 'workflows list',
  output: 'jobs output JOB',
};

/** What to say behind "unknown command" to a person who knows Torc 1.0. */
export function missingCommand(argv: readonly string[]): string | undefined {
  const first = argv.find((word) => Object.hasOwn(missing, word) || Object.hasOwn(elsewhere, word)) ?? '';
  return missing[first] ?? (elsewhere[first] === undefined ? undefined : `The command is torc ${elsewhere[first]}.`);
}
