import { commandsOf } from '../commands.ts';
import { globalsOf } from '../../command/settings.ts';
import { type Candidate, type Wanted, wantedIn } from './wanted.ts';

/**
 * Prints what could stand at the cursor, for the completion scripts of shells (`scripts.ts`).
 *
 * Each line is a candidate, `=value` with a tab and a short text behind it, or a word to the shell: `:files` with the endings
 * that are meant, or `:folders`. Whatever goes wrong is silent: a person who presses Tab has asked for nothing.
 */
export async function printCandidates(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  try {
    const wanted = wantedIn(await commandsOf('torc'), globalsOf('torc'), words);
    const { values, files, folders, records, before, typed } = wanted;
    // A server that is not there does not keep the shell from showing files.
    const known = records === undefined ? [] : await knownTo(wanted, environment).catch(() => []);
    const lines = [...values, ...known]
      .filter(({ value }) => value.startsWith(typed) && !CONTROL.test(value))
      .map(({ value, says }) => `=${before}${value}${says === undefined ? '' : `\t${oneLine(says)}`}`);
    if (files !== undefined) lines.push([':files', ...files].join(' '));
    if (folders === true) lines.push(':folders');
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  } catch {
    // Silent; see above.
  }
}

/** A name with a line break or an escape sequence cannot be typed. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').replaceAll(new RegExp(CONTROL, 'g'), '');

async function knownTo(
  wanted: Wanted,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly Candidate[]> {
  const { recordsFor } = await import('./records.ts');
  return recordsFor(wanted, environment);
}
