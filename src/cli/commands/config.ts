import { writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { makeFolder } from '../../cluster/make-folder.ts';
import { whyNotTrusted } from '../../cluster/trust.ts';
import { type Command, command } from '../command/command.ts';
import { trustCommand } from '../config/not-trusted.ts';
import { configurationPlaces, lookUp, type Reading, readConfiguration, type Role } from '../config/read.ts';
import { builtIn, keyAt, partsOf, type Path, paths } from '../config/schema.ts';
import { Failure, UsageError } from '../command/failure.ts';
import { userOf } from '../command/settings.ts';
import { option } from '../command/option.ts';

/** These commands read the configuration themselves, also an invalid one. */
const itself = { offline: true, ignoresConfiguration: true } as const;

const reading = (environment: Readonly<Record<string, string | undefined>>) =>
  readConfiguration(environment, process.cwd());

const configShow = command('config show', {
  ...itself,
  says: 'Show every key that has a value, from files, the environment or defaults.',
  options: [option('-f, --format <format>', 'toml or json', { kind: 'format of a configuration', default: 'toml' })],
  async run({ output, environment, exitWith }, _args, options) {
    const found = await reading(environment);
    for (const words of [...found.ignored, ...found.warnings]) output.warn(words);
    for (const { text } of found.problems) output.error(text);
    if (found.problems.length > 0) return exitWith(1);
    const format = options.format;
    if (format === 'json') return output.text(JSON.stringify(nestedOf(found), undefined, 2));
    if (format !== 'toml' && format !== 'table')
      throw new UsageError(`--format: expected toml or json, found "${String(format)}"`);
    return output.text(await tomlOf(found));
  },
});

const configPaths = command('config paths', {
  ...itself,
  says: 'Show which configuration files are read; later ones have precedence.',
  run: ({ output, environment }) => {
    const items = configurationPlaces(environment, process.cwd()).map((place) => {
      const found = lookUp(place);
      const state = { nothing: 'missing', refused: 'ignored' }[found.kind as string] ?? 'read';
      const why = found.kind === 'refused' ? { why: found.why } : {};
      return { role: place.role, path: place.path, state, ...why };
    });
    const rows = items.map(({ role, path, state, why }) => {
      const words = { missing: ' (not there)', ignored: ` (ignored: ${why})` }[state] ?? '';
      return `${`${role}:`.padEnd(8)}${path}${words}`;
    });
    output.record(
      'paths',
      { items },
      [...rows, 'then variables TORC_<SECTION>__<KEY>, such as TORC_CLIENT__API_URL, then options'].join('\n'),
    );
    return Promise.resolve();
  },
});

/** What its user must know of a file that goes on counting when it is edited. */
const OWN_FILE =
  '# Every key of this file counts here for this user. Before you share the file, remove these lines: then it counts as it is\n# after `torc config trust`, and no more when it has changed.';

const configTrust = command('config trust [file]', {
  ...itself,
  says: 'Let every key of a torc.toml count, as it is now; without FILE the one in this folder.',
  async run({ output, environment }, [file = 'torc.toml']) {
    const found = lookUp({ path: file });
    if (found.kind === 'nothing') throw new Failure(`there is no file ${file} that you may read`);
    if (found.kind === 'unreadable') throw new Failure(`${file} cannot be read: ${found.error.message}`);
    if (found.kind === 'refused')
      throw new Failure(
        `${found.why}: a file that another user may change is never trusted. Copy it into a file of yours: cp ${file} FILE`,
      );
    const { trustFile } = await import('../config/trust-records.ts');
    const { guardedIn } = await import('../config/read.ts');
    const keys = await guardedIn(file, found.text);
    refuseUnrecorded(trustFile(file, found.text, environment));
    output.text(
      `Trusted ${resolve(file)}${keys.length === 0 ? ', which has no key that needs it' : `, with ${keys.join(', ')}`}`,
    );
  },
});

function refuseUnrecorded(why: string | undefined): void {
  if (why !== undefined) throw new Failure(why, { exitCode: 78 });
}

const roles: readonly Role[] = ['system', 'user', 'local'];

const configInit = command('config init', {
  ...itself,
  says: 'Write a configuration file with every key, commented out.',
  example: '--user',
  options: [
    option('--system', 'the file of the system'),
    option('--user', 'your own file'),
    option('--local', 'torc.toml in this folder'),
    option('-f, --force', 'replace an existing file'),
  ],
  async run({ output, environment }, _args, options) {
    const [role, ...others] = roles.filter((each) => options[each] === true);
    if (role === undefined || others.length > 0)
      throw new UsageError('which file? expected one of --system, --user and --local');
    const path = configurationPlaces(environment, process.cwd()).find((file) => file.role === role)?.path as string;
    const { template } = await import('../config/write.ts');
    const { markedLine, trustFile } = await import('../config/trust-records.ts');
    const why = whyNotTrusted(path, { groupMayWrite: true });
    if (why !== undefined) throw new Failure(`${path} is not written: ${why}`);
    const { line, mark } = markedLine(userOf(environment));
    const isLocal = role === 'local';
    const text = isLocal ? `${line}\n${OWN_FILE}\n${template()}` : template();
    try {
      makeFolder(dirname(path));
      // Its group may not write what counts without being looked at.
      writeFileSync(path, text, { flag: options.force === true ? 'w' : 'wx', mode: 0o644 });
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new Failure(`${path} already exists; use --force to replace it`, { cause });
      throw new Failure(`${path} cannot be written: ${message}`, { cause });
    }
    if (isLocal) refuseUnrecorded(trustFile(path, text, environment, mark));
    output.text(`Created ${path}`);
  },
});

const configValidate = command('config validate', {
  ...itself,
  says: 'Check files and environment; every error is reported with its place.',
  async run({ output, environment, exitWith }) {
    const found = await reading(environment);
    const { complaintsAbout, notesAbout } = await import('../config/check.ts');
    const complaints = complaintsAbout(found);
    const warnings = [...found.ignored, ...found.warnings, ...notesAbout(found)];
    for (const words of warnings) output.warn(words);
    if (output.format === 'json') output.jsonLine({ valid: complaints.length === 0, errors: complaints, warnings });
    if (complaints.length > 0) {
      output.error(
        `Configuration has ${complaints.length} error(s):\n${complaints.map((each) => `  ${each}`).join('\n')}`,
      );
      return exitWith(1);
    }
    if (output.format !== 'json') output.text('Configuration is valid');
  },
});

/** Commands about configuration files and variables. */
export const configCommands: readonly Command[] = [configShow, configPaths, configInit, configTrust, configValidate];

/** The keys that have a value, as tables within tables. Programs read them: a key that waits for trust is refused. */
const nestedOf = ({ configuration }: Reading): Record<string, unknown> =>
  nested((path) => shownValue(path, configuration[path]));

function nested(valueOf: (path: Path) => unknown, of: readonly Path[] = paths): Record<string, unknown> {
  const tables: Record<string, unknown> = {};
  for (const path of of) {
    const value = valueOf(path);
    if (value === undefined) continue;
    const parts = partsOf(path);
    let table = tables;
    for (const part of parts.slice(0, -1)) table = (table[part] ??= {}) as Record<string, unknown>;
    table[parts.at(-1) as string] = value;
  }
  return tables;
}

const shownValue = (path: Path, value: unknown): unknown =>
  value === undefined ? undefined : (keyAt(path).shown?.(value as never) ?? value);

/** As a file, each value with its origin; defaults have none. */
async function tomlOf(found: Reading): Promise<string> {
  const { literal, sections } = await import('../config/write.ts');
  const { stringify } = await import('smol-toml');
  const valueOf = (path: Path) => shownValue(path, found.reported.get(path)?.value ?? builtIn[path]);
  const isPlain = (path: Path) => Array.isArray(valueOf(path)) || typeof valueOf(path) !== 'object';
  const set = paths.filter((path) => valueOf(path) !== undefined);
  const blocks = [...sections(set.filter(isPlain))].map(([section, rows]) => {
    const lines = rows.map(({ path, name }) => `${name} = ${literal(valueOf(path))}${originOf(found, path)}`);
    return `[${section}]\n${lines.join('\n')}`;
  });
  const tables = set.filter((path) => !isPlain(path));
  const places = tables.map((path) => `# ${path}:${originOf(found, path).replace('  #', '')}\n`).join('');
  return [...blocks, ...(tables.length === 0 ? [] : [`${places}${stringify(nested(valueOf, tables)).trim()}`])].join(
    '\n\n',
  );
}

/** Where a value comes from, as a comment; of a default nothing. */
function originOf({ reported }: Reading, path: Path): string {
  const said = reported.get(path);
  if (said === undefined) return '';
  return `  # ${said.place}${said.waits === undefined ? '' : `, not used: ${trustCommand(said.waits.path)}`}`;
}
