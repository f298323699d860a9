import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { makeFolder } from '../../../cluster/make-folder.ts';
import type { Context } from '../../command/context.ts';
import { Failure } from '../../command/failure.ts';
import { runOptions, type ServerValues } from './options.ts';
import { SERVICE, type Systemctl, systemctlOf } from './systemd.ts';
import { unitText } from './unit.ts';
import { pathOfDatabase } from '../../command/path-of-database.ts';
import { type Option, optionName, type Values } from '../../command/option.ts';

/** The place of a service: of the machine, or of one user. */
export interface ServicePlace {
  readonly isUser: boolean;
  readonly unit: string;
  readonly logs: string;
  readonly database: string;
}

export function servicePlaceOf(
  { environment }: Context,
  options: { readonly user?: boolean | undefined },
): ServicePlace {
  if (options.user !== true) {
    const unit = `/etc/systemd/system/${SERVICE}`;
    return { isUser: false, unit, logs: '/var/log/torc', database: '/var/lib/torc/torc.db' };
  }
  const home = environment['HOME'] ?? homedir();
  const xdg = environment['XDG_CONFIG_HOME'] ?? '';
  return {
    isUser: true,
    unit: join(isAbsolute(xdg) ? xdg : join(home, '.config'), 'systemd/user', SERVICE),
    logs: join(home, '.torc/logs'),
    database: join(home, '.torc/torc.db'),
  };
}

/** Where packages of systems bring a unit. */
const PACKAGE_UNITS = ['/usr/lib/systemd/system', '/lib/systemd/system'].map((folder) => join(folder, SERVICE));

/** Options of the server without what a configuration sets: the service reads that when it starts. */
type GivenServerValues = { readonly [Name in keyof ServerValues]?: ServerValues[Name] | undefined };

/** Writes the unit and creates its folders. */
export function writeUnit({ configuration }: Context, place: ServicePlace, options: GivenServerValues): void {
  const { isUser, unit } = place;
  const ofPackage = PACKAGE_UNITS.find((path) => existsSync(path));
  if (!isUser && ofPackage !== undefined)
    throw new Failure(
      `a package brings ${ofPackage}, and ${unit} would replace it. \`systemctl enable --now ${SERVICE}\` starts it, /etc/torc/config.toml configures it; --user installs a service of your own`,
    );
  // The service runs in another folder.
  const named = (path: string | undefined) => (path === undefined ? undefined : resolve(path));
  const logDir = resolve(options.logDir ?? configuration['server.logging.log_dir'] ?? place.logs);
  const given = pathOfDatabase(options.database ?? configuration['server.database'] ?? place.database);
  const database = given === ':memory:' ? given : resolve(given);
  const values = {
    ...options,
    logDir,
    database,
    authFile: named(options.authFile),
    tlsCert: named(options.tlsCert),
    tlsKey: named(options.tlsKey),
    sonarStore: named(options.sonarStore),
  };
  const folder = database === ':memory:' ? logDir : dirname(database);
  const command = [...ownProgram(), 'run', ...runWords(runOptions, values)];
  try {
    for (const path of [logDir, folder, dirname(unit)]) makeFolder(path);
    writeFileSync(unit, unitText({ isUser, folder, command }));
  } catch (cause) {
    const hint = isUser ? '' : '; a service of the machine needs root, --user installs one for your user';
    throw new Failure(`the service cannot be installed: ${(cause as Error).message}${hint}`, { cause });
  }
}

/** This program, as a unit starts it: in an installation of install.sh through its link `current`, so that an update reaches it. */
function ownProgram(): string[] {
  const script = realpathSync(process.argv[1] as string);
  const versions = join(dirname(script), '../..');
  const current = join(versions, 'current/bin', basename(script, '.mjs'));
  return existsSync(join(versions, 'receipt.json')) && existsSync(current) ? [current] : [process.execPath, script];
}

/** The connection to systemd for an installed service. */
export function systemctlFor({ environment }: Context, { isUser, unit }: ServicePlace): Systemctl {
  const flag = isUser ? ' --user' : '';
  if (!existsSync(unit))
    throw new Failure(`there is no ${unit}; install the service with \`torc-server service install${flag}\``);
  const systemctl = systemctlOf(isUser, environment['PATH']);
  if (systemctl !== undefined) return systemctl;
  throw new Failure(
    `systemctl is not on PATH, and services are its business. ${unit} is there; where systemd runs, \`systemctl${flag} daemon-reload\` and \`systemctl${flag} enable --now ${SERVICE}\` start it`,
  );
}

export const removeUnit = ({ unit }: ServicePlace) => rmSync(unit, { force: true });

const properties = ['ActiveState', 'SubState', 'MainPID', 'ActiveEnterTimestamp'] as const;

/** The state of the service, from systemd's lines `Property=value`. */
export async function stateOf(systemctl: Systemctl): Promise<{ isActive: boolean; words: string }> {
  const reported = await systemctl('show', SERVICE, `--property=${properties.join(',')}`);
  const values = new Map(reported.split('\n').map((line) => line.split(/=(.*)/s, 2) as [string, string]));
  const [state = 'unknown', sub = '', pid = '0', since = ''] = properties.map((name) => values.get(name));
  const isActive = state === 'active';
  const words = [
    `${state} (${sub})`,
    ...(pid === '0' ? [] : [`process ${pid}`]),
    ...(isActive ? [`since ${since}`] : []),
  ];
  return { isActive, words: `torc-server: ${words.join(', ')}` };
}

/** Command-line arguments of the options that have a value. */
function runWords(options: readonly Option[], values: Values): string[] {
  return options.flatMap((option) => {
    const value = values[optionName(option)];
    const flag = /--[\w-]+/.exec(option.flags)?.[0] as string;
    // Commander stores `--no-page` as a page that is false.
    if (flag.startsWith('--no-')) return value === false ? [flag] : [];
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    return (Array.isArray(value) ? value : [value]).flatMap((each) => [flag, String(each)]);
  });
}
