import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandsOf } from './commands.ts';
import type { Option } from './option.ts';
import { globalsOf } from './settings.ts';
import { tellsVersion } from './tells-version.ts';

/**
 * The options of Torc 1.0.0, a command a line: `torc jobs list: -s --status=, --include-relationships`. `=` marks those that
 * take a value. They are what `--help` of its programs says, and the hidden ones that its programs accept.
 */
const table = readFileSync(join(import.meta.dirname, '../../tests/support/original/options.txt'), 'utf8');

const rows = table
  .trimEnd()
  .split('\n')
  .map((line) => {
    const at = line.indexOf(':');
    const options = line.slice(at + 1).split(',');
    return { command: line.slice(0, at), options: options.map((each) => each.trim()).filter((each) => each !== '') };
  });

/** What this program lacks of it, and why. */
const MISSING: Readonly<Record<string, string>> = {
  'torc tui': 'there is no view for a terminal yet; the command names what to use instead',
  'torc self update': 'packages are updated with npm; the command says so',
  'torc-server service install --daemon': 'systemd wants the server in the foreground',
  'torc-server service install --pid-file=': 'systemd knows the process of a service',
};

/** The command of a program that its name alone means. */
const DEFAULTS: Readonly<Record<string, string>> = { 'torc-slurm-job-runner': 'torc-slurm-job-runner run' };

const namesOf = ({ flags }: Option) => flags.split(/,\s*/).map((part) => part.split(' ')[0] as string);
const hasValue = ({ flags }: Option) => /[<[]/.test(flags);

it('every option of every command of Torc 1.0.0 is there, with its short name and with a value where that has one, but for those that are listed', async () => {
  const tables = new Map<string, readonly Option[]>();
  for (const program of ['torc', 'torc-server', 'torc-htpasswd', 'torc-slurm-job-runner']) {
    const version = tellsVersion(program) ? [{ flags: '-V, --version', says: '' }] : [];
    const globals = [...version, ...globalsOf(program)];
    tables.set(program, globals);
    for (const { words, options = [] } of await commandsOf(program))
      tables.set(`${program} ${words.replace(/ [<[].*/, '')}`, [...options, ...globals]);
  }

  const missing = rows.flatMap(({ command, options }) => {
    const own = tables.get(DEFAULTS[command] ?? command);
    if (own === undefined) return [command];
    return options
      .filter((each) => {
        // The first is the one that the parser takes: a command's own option precedes a global one.
        const found = each
          .replace('=', '')
          .split(' ')
          .map((name) => own.find((option) => namesOf(option).includes(name)));
        // A hidden option is a second name of another one, which may have the short name.
        const shown = found.filter((option) => option?.isHidden !== true);
        return (
          new Set(shown).size > 1 ||
          found.some((option) => option === undefined || hasValue(option) !== each.endsWith('='))
        );
      })
      .map((each) => `${command} ${each}`);
  });
  expect(missing.toSorted()).toEqual(Object.keys(MISSING).toSorted());
});
