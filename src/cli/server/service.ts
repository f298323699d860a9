import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import type { Values } from '../option.ts';
import { runOptions } from './options.ts';
import { runWords } from './run-words.ts';
import { SERVICE, type Systemctl, systemctlOf } from './systemd.ts';
import { unitText } from './unit.ts';

/** Where a service stands: that of the machine, or that of one person. */
export interface Place {
  readonly isUser: boolean;
  readonly unit: string;
  readonly logs: string;
  readonly database: string;
}

export function placeOf({ environment }: Context, options: Values): Place {
  if (options['user'] !== true) {
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

/** Writes the unit and the folders that it needs. */
export function writeUnit({ configuration }: Context, place: Place, options: Values): void {
  const { isUser, unit } = place;
  const values: Record<string, unknown> = {
    ...options,
    logDir: options['logDir'] ?? configuration['server.logging.log_dir'] ?? place.logs,
    database: options['database'] ?? configuration['server.database'] ?? place.database,
  };
  // The service runs in another folder.
  for (const name of ['logDir', 'database', 'authFile', 'tlsCert', 'tlsKey']) {
    const path = values[name] as string | undefined;
    if (path !== undefined && path !== ':memory:') values[name] = resolve(path.replace(/^sqlite:(\/\/)?/, ''));
  }
  const database = values['database'] as string;
  const folder = database === ':memory:' ? (values['logDir'] as string) : dirname(database);
  const command = [process.execPath, realpathSync(process.argv[1] as string), 'run', ...runWords(runOptions, values)];
  try {
    for (const path of [values['logDir'] as string, folder, dirname(unit)]) mkdirSync(path, { recursive: true });
    writeFileSync(unit, unitText({ isUser, folder, command }));
  } catch (cause) {
    const hint = isUser ? '' : '; a service of the machine needs root, --user makes one of your own';
    throw new Failure(`the service cannot be installed: ${(cause as Error).message}${hint}`, { cause });
  }
}

/** The way to systemd for a service that is installed. */
export function systemctlFor({ environment }: Context, { isUser, unit }: Place): Systemctl {
  const flag = isUser ? ' --user' : '';
  if (!existsSync(unit))
    throw new Failure(`there is no ${unit}; \`torc-server service install${flag}\` makes the service`);
  const systemctl = systemctlOf(isUser, environment['PATH']);
  if (systemctl !== undefined) return systemctl;
  throw new Failure(
    `systemctl is not on PATH, and services are its business. ${unit} is there; where systemd runs, \`systemctl${flag} daemon-reload\` and \`systemctl${flag} enable --now ${SERVICE}\` start it`,
  );
}

export const removeUnit = ({ unit }: Place) => rmSync(unit, { force: true });

const properties = ['ActiveState', 'SubState', 'MainPID', 'ActiveEnterTimestamp'] as const;

/** How the service is, as `Property=value` lines of systemd tell it. */
export async function stateOf(systemctl: Systemctl): Promise<{ isActive: boolean; words: string }> {
  const told = await systemctl('show', SERVICE, `--property=${properties.join(',')}`);
  const values = new Map(told.split('\n').map((line) => line.split(/=(.*)/s, 2) as [string, string]));
  const [state = 'unknown', sub = '', pid = '0', since = ''] = properties.map((name) => values.get(name));
  const isActive = state === 'active';
  const words = [
    `${state} (${sub})`,
    ...(pid === '0' ? [] : [`process ${pid}`]),
    ...(isActive ? [`since ${since}`] : []),
  ];
  return { isActive, words: `torc-server: ${words.join(', ')}` };
}
