import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandsOf } from './commands.ts';
import { keyAt } from '../config/schema.ts';
import { kindOfOption, longOf, type Option } from '../command/option.ts';
import { globalsOf } from '../command/settings.ts';

/**
 * The options of Torc 1.0.0, a command a line: `torc run: -p --poll-interval=5, --label=, --persistent`. `=` marks those that
 * take a value, and has their default behind it. They are what `--help` of its programs says, with the defaults of its
 * configuration and the hidden options that its programs accept.
 */
const table = readFileSync(join(import.meta.dirname, '../../../tests/support/original/options.txt'), 'utf8');

const rows = table
  .trimEnd()
  .split('\n')
  .flatMap((line) => {
    const at = line.indexOf(':');
    const command = line.slice(0, at);
    const options = line.slice(at + 1).split(', ');
    return [{ command, text: undefined }, ...options.map((text) => ({ command, text: text.trim() }))];
  })
  .filter(({ text }) => text !== '');

/** What differs here, and why. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'torc tui --port=8080': 'the server of -s chooses a free port, as for every command',
  'torc tui --database=': '--db, as for every command',
  'torc --torc-server-bin=torc-server': 'the server of this installation',
  'torc slurm generate --group-by=partition':
    'packed: by partition, one long or wide job makes all allocations as long and wide',
  'torc slurm plan-allocations --group-by=partition': 'the same',
  'torc slurm regenerate --group-by=partition': 'the same',
  'torc monitor-node -i --sample-interval-seconds=10': 'what the workflow says, otherwise 10',
  'torc monitor-node --flush-interval-seconds=300': 'what the workflow says, otherwise 300',
  'torc-server run -H --host=0.0.0.0': 'this machine only, unless an option says otherwise',
  'torc-server run -l --log-level=info': 'info, unless RUST_LOG says otherwise',
  'torc-server service install -l --log-level=info':
    'options that are not given stay unset: the service reads the configuration',
  'torc-server service install -H --host=0.0.0.0': 'the same',
  'torc-server service install -p --port=8080': 'the same',
  'torc-server service install -t --threads=1': 'the same',
  'torc-server service install --credential-cache-ttl-secs=60': 'the same',
  'torc-server service install --daemon': 'systemd wants the server in the foreground',
  'torc-server service install --pid-file=': 'systemd knows the process of a service',
  'torc-slurm-job-runner --wait-for-healthy-database-minutes=20': 'what the workflow says, otherwise 20',
};

/** The command of a program that its name alone means. */
const DEFAULTS: Readonly<Record<string, string>> = { 'torc-slurm-job-runner': 'torc-slurm-job-runner run' };

const namesOf = ({ flags }: Option) => flags.split(/,\s*/).map((part) => part.split(' ')[0] as string);
const defaultOf = ({ setting, default: own }: Option) => (setting === undefined ? own : keyAt(setting).default);

/** Does this option do for one of Torc, which has these names and perhaps a value? */
function isThere(own: readonly Option[], text: string): boolean {
  const [names = '', standard] = text.split('=');
  // The first is the one that the parser takes: a command's own option precedes a global one.
  const found = names.split(' ').map((name) => own.find((option) => namesOf(option).includes(name)));
  // A hidden option is a second name of another one, which may have the short name.
  const shown = found.filter((option) => option?.isHidden !== true);
  return (
    new Set(shown).size <= 1 &&
    found.every(
      (option) =>
        option !== undefined &&
        /[<[]/.test(option.flags) === (standard !== undefined) &&
        (!standard || String(defaultOf(option)) === standard.replace(/^(\d+)\.0$/, '$1')),
    )
  );
}

it('every option of every command of Torc 1.0.0 is there with its short name and its default, but for those that are listed', async () => {
  const tables = new Map<string, readonly Option[]>();
  for (const program of ['torc', 'torc-server', 'torc-htpasswd', 'torc-slurm-job-runner']) {
    const globals = [{ flags: '-V, --version', says: '' }, ...globalsOf(program)];
    tables.set(program, globals);
    for (const { words, options = [] } of await commandsOf(program))
      tables.set(`${program} ${words.replace(/ [<[].*/, '')}`, [...options, ...globals]);
  }
  const different = rows.flatMap(({ command, text }) => {
    const own = tables.get(DEFAULTS[command] ?? command);
    if (own === undefined) return text === undefined ? [command] : [];
    return text === undefined || isThere(own, text) ? [] : [`${command} ${text}`];
  });
  expect(different.toSorted()).toEqual(Object.keys(DIFFERENT).toSorted());
});

it('each option that takes a duration reads 2h and PT2H, and refuses 02:00:00', async () => {
  const options = (await commandsOf('torc')).flatMap(({ words, options: own = [] }) =>
    own.filter(({ flags }) => flags.endsWith('<duration>')).map((option) => ({ words, option })),
  );
  expect(options.map(({ words, option }) => `${words.split(' <')[0]} ${longOf(option)}`)).toContain(
    'jobs update --timeout',
  );
  for (const { option } of options) {
    const read = option.read ?? kindOfOption(option).read;
    expect(['2h', 'PT2H'].map((text) => read?.(text, longOf(option)))).toEqual(['PT2H', 'PT2H']);
    expect(() => read?.('02:00:00', longOf(option))).toThrow(`${longOf(option)}: expected a duration such as 2h`);
  }
});
