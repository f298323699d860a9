import { userInfo } from 'node:os';
import { logLevelOf, type LogLevel } from '../../core/text/log-line.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { builtIn, type Configuration, type Path } from '../config/schema.ts';
import { Failure } from './failure.ts';
import { type Option, option, optionName, optionsOf, type Values, type ValuesOf } from './option.ts';
import type { Format } from '../output/output.ts';
import { pathOfDatabase } from './path-of-database.ts';

/** Options of every command, before or after its words. */
export const globalOptions = optionsOf([
  option('--log-level <level>', 'debug, info, warn or error (RUST_LOG; default info)', {
    kind: 'log-level',
    setting: 'client.log_level',
  }),
  option('-f, --format <format>', 'table, json or csv', { setting: 'client.format' }),
  option('--wide', 'tables in their full width; without it they fit the terminal'),
  option('--quiet', 'only results, warnings and errors: no notices, hints and progress'),
  option('--url <url>', `URL of the service with ${BASE_PATH} (TORC_API_URL)`, { setting: 'client.api_url' }),
  option('--password <password>', 'password for the service (TORC_PASSWORD)'),
  option('--prompt-password', 'ask for the password; without a terminal it is the first line of standard input'),
  option('--skip-version-check', 'do not compare versions with the server'),
  option('--tls-ca-cert <pem>', 'certificates to trust, as a PEM file (TORC_TLS_CA_CERT)', {
    setting: 'client.tls.ca_cert',
  }),
  option('--tls-insecure', 'accept any certificate (TORC_TLS_INSECURE)', { setting: 'client.tls.insecure' }),
  option('--cookie-header <cookie>', 'cookie for a proxy (TORC_COOKIE_HEADER)'),
  option(
    '-s, --standalone',
    'use the database --db without a server: start one for this command, or attach to that of another -s command',
  ),
  option('--db <path>', 'database of the standalone server', { default: './torc_output/torc.db' }),
  option('--in-memory', 'keep the standalone database in memory; it is copied to --db at the end (run and exec)'),
  option('--trust-owner', 'use a database or output folder that another user owns or may write (TORC_TRUST_OWNER)', {
    setting: 'client.trust_owner',
  }),
  option('--snapshot-interval-seconds <n>', 'with --in-memory: also copy to --db at this interval'),
  option('--torc-server-bin <program>', 'the server to start (TORC_SERVER_BIN; default the one of this installation)'),
]);

/** Options without which a command would talk to another server, or not be let in. */
export const SAME_SERVER = [
  'url',
  'password',
  'skipVersionCheck',
  'tlsCaCert',
  'tlsInsecure',
  'cookieHeader',
  'standalone',
  'db',
  'torcServerBin',
] as const;

/** Of a program whose standard input and output carry a protocol: a command prints nothing there, and cannot ask its user. */
const OF_A_PROTOCOL = new Set([...SAME_SERVER, 'trustOwner']);

/** Options of every command of a program: servers and files of passwords ask no service, so they have none. */
export function globalsOf(program: string): readonly Option[] {
  if (program === 'torc-server' || program === 'torc-htpasswd') return [];
  if (program === 'torc-mcp-server' || program === 'torc-dash')
    return globalOptions.filter((option) => OF_A_PROTOCOL.has(optionName(option)));
  return globalOptions;
}

export interface Settings {
  readonly format: Format;
  /** Tables may be wider than the terminal. */
  readonly wide: boolean;
  /** Only results, warnings and errors are printed. */
  readonly quiet: boolean;
  readonly logLevel: LogLevel;
  readonly url: string;
  readonly user: string;
  readonly password: string | undefined;
  /** The user is asked for the password. */
  readonly asksPassword: boolean;
  readonly cookie: string | undefined;
  readonly tlsCaCert: string | undefined;
  readonly tlsInsecure: boolean;
  readonly skipVersionCheck: boolean;
  readonly standalone: boolean;
  readonly database: string;
  readonly inMemory: boolean;
  readonly snapshotIntervalSeconds: number | undefined;
  /** Databases and output folders of other users are used. */
  readonly trustsOwner: boolean;
  /** Receivers of messages, for the server that a command starts. */
  readonly notify: Configuration['notify'];
  readonly serverProgram: string | undefined;
  /** The maximum number of jobs of a workflow file; undefined for the default. */
  readonly maxJobs: number | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Keys of the configuration that are read when a command uses them, and not before. */
export const LAZY: ReadonlySet<Path> = new Set<Path>([
  'client.api_url',
  'client.tls.ca_cert',
  'client.tls.insecure',
  'client.trust_owner',
]);

/** The settings of this command: its options, completed from the configuration, then the environment. */
export function settingsOf(given: Values, environment: Environment, configuration: Configuration = builtIn): Settings {
  // They were read by the table above; servers have none of them.
  const options = given as Partial<ValuesOf<typeof globalOptions>>;
  const format = options.format ?? 'table';
  if (format !== 'table' && format !== 'json' && format !== 'csv')
    throw new Failure("format must be one of 'table', 'json', or 'csv'");
  const interval = options.snapshotIntervalSeconds;
  if (interval !== undefined && !(Number(interval) >= 1))
    throw new Failure(`--snapshot-interval-seconds: expected 1 or more, found ${interval}`);
  return {
    format,
    wide: options.wide === true,
    quiet: options.quiet === true,
    logLevel: logLevelOf(options.logLevel),
    get url() {
      return (options.url ?? configuration['client.api_url']).replace(/\/+$/, '');
    },
    user: userOf(environment),
    password: options.password ?? environment['TORC_PASSWORD'],
    asksPassword: options.promptPassword === true,
    cookie: options.cookieHeader ?? environment['TORC_COOKIE_HEADER'],
    get tlsCaCert() {
      return options.tlsCaCert ?? configuration['client.tls.ca_cert'];
    },
    get tlsInsecure() {
      return options.tlsInsecure ?? configuration['client.tls.insecure'];
    },
    skipVersionCheck: options.skipVersionCheck === true,
    standalone: options.standalone === true,
    database: pathOfDatabase(options.db ?? './torc_output/torc.db'),
    inMemory: options.inMemory === true,
    snapshotIntervalSeconds: interval === undefined ? undefined : Number(interval),
    get trustsOwner() {
      return options.trustOwner ?? configuration['client.trust_owner'];
    },
    get notify() {
      return configuration.notify;
    },
    serverProgram: options.torcServerBin ?? environment['TORC_SERVER_BIN'],
    maxJobs: maxJobsOf(environment['TORC_MAX_JOBS']),
  };
}

/** The same settings but for these; the ones that they replace are not read. */
export const withOther = (settings: Settings, other: Partial<Settings>): Settings =>
  Object.create(settings, Object.getOwnPropertyDescriptors(other)) as Settings;

export function maxJobsOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new Failure(`TORC_MAX_JOBS: expected a whole number of 1 or more, found "${text}"`);
  return Number(text);
}

/** The owner of the workflows: also the name of the login. */
export function userOf(environment: Environment): string {
  const names = [environment['TORC_USERNAME'], environment['USER'], environment['USERNAME']];
  const named = names.find((name) => name !== undefined && name !== '');
  if (named !== undefined) return named;
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry in the system's list, as in some containers.
    return String(process.getuid?.() ?? 'unknown');
  }
}
