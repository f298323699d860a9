import { existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../cluster/make-folder.ts';
import { type Command, command } from '../command.ts';
import { filesOf, type Reading, readConfiguration, type Role } from '../config/read.ts';
import { partsOf, type Path, paths } from '../config/schema.ts';
import { Failure, UsageError } from '../failure.ts';

/** These commands read the configuration themselves, also an invalid one. */
const itself = { offline: true, ignoresConfiguration: true } as const;

const reading = (environment: Readonly<Record<string, string | undefined>>) =>
  readConfiguration(environment, process.cwd());

const configShow = command({
  ...itself,
  words: 'config show',
  says: 'Show every key that has a value, from files, the environment or defaults.',
  options: [{ flags: '-f, --format <format>', says: 'toml or json', default: 'toml' }],
  async run({ output, environment, exitWith }, _args, options) {
    const found = await reading(environment);
    for (const words of found.warnings) output.warn(words);
    for (const { text } of found.problems) output.error(text);
    if (found.problems.length > 0) return exitWith(1);
    const format = options.format;
    if (format === 'json') return output.text(JSON.stringify(nested(found), undefined, 2));
    if (format !== 'toml' && format !== 'table')
      throw new UsageError(`--format: expected toml or json, found "${String(format)}"`);
    return output.text(await tomlOf(found));
  },
});

const configPaths = command({
  ...itself,
  words: 'config paths',
  says: 'Show which configuration files are read; later ones have precedence.',
  run: ({ output, environment }) => {
    const rows = filesOf(environment, process.cwd()).map(
      ({ role, path }) => `${`${role}:`.padEnd(8)}${path}${existsSync(path) ? '' : ' (not there)'}`,
    );
    output.text(
      [...rows, 'then variables TORC_<SECTION>__<KEY>, such as TORC_CLIENT__API_URL, then options'].join('\n'),
    );
    return Promise.resolve();
  },
});

const roles: readonly Role[] = ['system', 'user', 'local'];

const configInit = command({
  ...itself,
  words: 'config init',
  says: 'Write a configuration file with every key, commented out.',
  options: [
    { flags: '--system', says: 'the file of the system' },
    { flags: '--user', says: 'your own file' },
    { flags: '--local', says: 'torc.toml in this folder' },
    { flags: '-f, --force', says: 'replace an existing file' },
  ],
  async run({ output, environment }, _args, options) {
    const [role, ...others] = roles.filter((each) => options[each] === true);
    if (role === undefined || others.length > 0)
      throw new UsageError('which file? expected one of --system, --user and --local');
    const path = filesOf(environment, process.cwd()).find((file) => file.role === role)?.path as string;
    const { template } = await import('../config/write.ts');
    try {
      makeFolder(dirname(path));
      writeFileSync(path, template(), { flag: options.force === true ? 'w' : 'wx' });
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new Failure(`${path} already exists; use --force to replace it`, { cause });
      throw new Failure(`${path} cannot be written: ${message}`, { cause });
    }
    output.text(`Created ${path}`);
  },
});

const configValidate = command({
  ...itself,
  words: 'config validate',
  says: 'Check files and environment; every error is reported with its place.',
  async run({ output, environment, exitWith }) {
    const found = await reading(environment);
    const { complaintsAbout } = await import('../config/check.ts');
    const complaints = complaintsAbout(found);
    for (const words of found.warnings) output.warn(words);
    if (complaints.length > 0) {
      output.error(
        `Configuration has ${complaints.length} error(s):\n${complaints.map((each) => `  ${each}`).join('\n')}`,
      );
      return exitWith(1);
    }
    return output.text('Configuration is valid');
  },
});

/** Commands about configuration files and variables. */
export const configCommands: readonly Command[] = [configShow, configPaths, configInit, configValidate];

/** The keys that have a value, as tables within tables. */
function nested({ configuration }: Reading, of: readonly Path[] = paths): Record<string, unknown> {
  const tables: Record<string, unknown> = {};
  for (const path of of) {
    const value = configuration[path];
    if (value === undefined) continue;
    const parts = partsOf(path);
    let table = tables;
    for (const part of parts.slice(0, -1)) table = (table[part] ??= {}) as Record<string, unknown>;
    table[parts.at(-1) as string] = value;
  }
  return tables;
}

/** As a file, each value with its origin; defaults have none. */
async function tomlOf(found: Reading): Promise<string> {
  const { literal, sections } = await import('../config/write.ts');
  const { stringify } = await import('smol-toml');
  const isPlain = (path: Path) =>
    Array.isArray(found.configuration[path]) || typeof found.configuration[path] !== 'object';
  const set = paths.filter((path) => found.configuration[path] !== undefined);
  const blocks = [...sections(set.filter(isPlain))].map(([section, rows]) => {
    const lines = rows.map(({ path, name }) => {
      const place = found.reported.get(path)?.place;
      return `${name} = ${literal(found.configuration[path])}${place === undefined ? '' : `  # ${place}`}`;
    });
    return `[${section}]\n${lines.join('\n')}`;
  });
  const tables = set.filter((path) => !isPlain(path));
  return [...blocks, ...(tables.length === 0 ? [] : [stringify(nested(found, tables)).trim()])].join('\n\n');
}
