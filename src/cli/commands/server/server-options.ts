import { readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { startOf } from '../../../cluster/host/start-of.ts';
import { costOfHash, MOST_COST, readUsersFile } from '../../../core/text/users-file.ts';
import { counted, someOf } from '../../../core/quantity/count-text.ts';
import { listValue } from '../../../core/text/list-value.ts';
import type { ServeOptions } from '../../../server/serve.ts';
import { nameOf, allowedOriginOf } from '../../../server/http/origin.ts';
import { CREDENTIAL_VARIABLE, NOTIFY_VARIABLE } from '../../standalone/credential-variable.ts';
import { missingInChain } from './certificate-chain.ts';
import { Failure } from '../../command/failure.ts';
import { integerOption } from '../../command/option.ts';
import { limitsGiven } from '../../command/workflow-settings.ts';
import { httpUrlKind } from '../../config/kinds.ts';
import { maxJobsOf } from '../../command/settings.ts';
import type { Configuration } from '../../config/schema.ts';
import { receiversIn, receiversOver } from '../../notify/receivers.ts';
import type { ServerValues } from './options.ts';
import { accessOf } from './access.ts';
import { pathOfDatabase } from '../../command/path-of-database.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ServerOptions extends Omit<ServeOptions, 'onError' | 'onNotice' | 'onBroken'> {
  /** Where SIGUSR1 copies the database, and how many copies are kept. */
  readonly snapshots: { readonly path: string; readonly keep: number };
}

/** The settings of the server, checked as far as possible before anything is opened. */
export async function serverOptionsOf(
  options: ServerValues,
  environment: Environment,
  configuration: Configuration,
): Promise<ServerOptions> {
  const credential = environment[CREDENTIAL_VARIABLE];
  const database = pathOfDatabase(options.database ?? 'torc.db');
  const snapshotPath = environment['TORC_SERVER_SNAPSHOT_PATH'] ?? 'torc-server-snapshot.db';
  return {
    database,
    host: options.url ?? options.host,
    port: options.port,
    credential,
    attach: credential === undefined ? undefined : attachable(database === ':memory:' ? snapshotPath : database),
    // A request with the credential may do everything; all others are refused.
    access: credential === undefined ? accessOf(options) : undefined,
    pages: { hosts: hostsOf(options.allowedHost), origins: originsOf('--allowed-origin', options.allowedOrigin) },
    frameOrigins: originsOf('--frame-origin', options.frameOrigin),
    tls: options.https === true ? (await import('./tls.ts')).tlsOf(options) : undefined,
    adminSql: adminSqlOf(options),
    agents: options.mcp === undefined ? undefined : await agentsOf(options.mcp, environment),
    metrics: options.metrics,
    spans: spansOf(options.otlpEndpoint, environment),
    withoutPage: options.page === false,
    sonarStore: options.sonarStore,
    sonarHotDays: options.sonarHotDays,
    sonarKeptDays: options.sonarKeptDays,
    bulkMebibytes: countIn(environment, 'TORC_MAX_REQUEST_BODY_MB', 1),
    apiEventBodyBytes: countIn(environment, 'TORC_API_EVENT_BODY_MAX_BYTES', 0),
    notify: notifyOf(
      credential === undefined ? configuration.notify : JSON.parse(environment[NOTIFY_VARIABLE] || '{}'),
      environment,
    ),
    jobLimits: { all: limitsGiven(options.limit), eachUser: limitsGiven(options.limitEachUser) },
    trustsOwner: options.trustOwner === true,
    snapshots: {
      path: snapshotPath,
      keep: countIn(environment, 'TORC_SERVER_SNAPSHOT_KEEP', 1) ?? 5,
    },
  };
}

/** What sends is loaded with the first message. */
function notifyOf(tables: Configuration['notify'], environment: Environment): ServeOptions['notify'] {
  const receivers = receiversOver('network', receiversIn(tables));
  if (receivers.length === 0) return undefined;
  return {
    receivers,
    async send(receiver, message, atMostMs, signal) {
      const { sendOverNetwork } = await import('../../../cluster/notify/over-network.ts');
      return sendOverNetwork(receiver, message, environment, atMostMs, signal);
    },
  };
}

async function agentsOf(tools: 'all' | 'read-only', environment: Environment): Promise<ServeOptions['agents']> {
  const { createAgents } = await import('./agents-thread.ts');
  return createAgents({ isReadOnly: tools === 'read-only', maxJobs: maxJobsOf(environment['TORC_MAX_JOBS']) });
}

/**
 * Where spans go. Headers and the name of the service come from the variables that OpenTelemetry has for them: other programs read these
 * too, and what we do not understand there is left out.
 */
function spansOf(endpoint: string | undefined, environment: Environment): ServeOptions['spans'] {
  if (endpoint === undefined || environment['OTEL_SDK_DISABLED'] === 'true') return undefined;
  if (httpUrlKind.read(endpoint, () => {}) === undefined)
    throw new Failure(`--otlp-endpoint: expected ${httpUrlKind.expected}`);
  const headers = listValue(environment['OTEL_EXPORTER_OTLP_HEADERS'] ?? '').flatMap((pair) => {
    const [, name, value = ''] = /^([\w-]+)\s*=\s*(.*)$/s.exec(pair) ?? [];
    return name === undefined ? [] : [[name, decodedValue(value)]];
  });
  const serviceName = environment['OTEL_SERVICE_NAME'] || 'torc';
  return { endpoint, headers: Object.fromEntries(headers) as Record<string, string>, serviceName };
}

/** Values are percent-encoded; a percent sign that encodes nothing stands for itself. */
function decodedValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

const attachable = (beside: string) => ({
  beside,
  pid: process.pid,
  host: hostname(),
  start: startOf(process.pid) ?? 'unknown',
});

const listed = (value: unknown): string[] => ((value ?? []) as readonly string[]).flatMap(listValue);

function hostsOf(value: unknown): string[] {
  return listed(value).map((name) => {
    const host = nameOf(/^[^[]*:.*:/.test(name) ? `[${name}]` : name);
    if (/^(\[[\da-f:.]+\]|[\w.-]+)$/.test(host)) return host;
    throw new Failure(`--allowed-host: expected a name such as torc.example.org, found "${name}"`);
  });
}

function originsOf(flag: string, value: unknown): string[] {
  return listed(value).map((text) => {
    const origin = allowedOriginOf(text);
    if (origin !== undefined) return origin;
    throw new Failure(`${flag}: expected an origin such as https://portal.example.org, found "${text}"`);
  });
}

function adminSqlOf(options: ServerValues): 'writes' | 'reads' | 'nothing' {
  if (options.disableAdminSql === true) return 'nothing';
  return options.disableAdminSqlWrites === true ? 'reads' : 'writes';
}

function countIn(environment: Environment, variable: string, least: number): number | undefined {
  const text = environment[variable];
  if (text === undefined || text === '') return undefined;
  try {
    return integerOption(least)(text, variable);
  } catch (cause) {
    throw new Failure((cause as Error).message, { cause });
  }
}

/** Valid settings that an administrator should reconsider. */
export function worriesAbout({ host, access, credential }: ServerOptions, options: ServerValues): string[] {
  const isOpen = credential === undefined && access?.requireLogin !== true && !LOOPBACK.test(host);
  return [
    ...(isOpen
      ? ['Everybody who reaches this address may use the service: --auth-file with --require-auth requires a login']
      : []),
    ...((options.allowedHost ?? []).length > 0 && !LOOPBACK.test(host)
      ? ['--allowed-host has no effect here: a server on an address of the network answers to any name']
      : []),
    ...(options.authFile === undefined ? [] : worriesAboutUsers(options.authFile)),
    ...(options.https === true && options.tlsKey !== undefined ? readableByAll('the TLS key', options.tlsKey) : []),
    ...(options.https === true && options.tlsCert !== undefined
      ? [missingInChain(options.tlsCert)].filter((each) => each !== undefined)
      : []),
    ...(options.https !== true && (options.tlsCert ?? options.tlsKey) !== undefined
      ? ['A certificate is named and not used: use --https for TLS']
      : []),
  ];
}

function worriesAboutUsers(path: string): string[] {
  const { users } = readUsersFile(readFileSync(path, 'utf8').split(/\r?\n/));
  const costly = [...users].flatMap(([user, { hash }]) => (costOfHash(hash) > MOST_COST ? [user] : []));
  const words = `cannot log in, because a comparison of their hash would keep all logins waiting: its cost is above ${MOST_COST}; set it with torc-htpasswd add -c 12`;
  return [
    ...(costly.length === 0 ? [] : [`${counted(costly.length, 'user')} (${someOf(costly)}) ${words}`]),
    ...readableByAll('the file of users', path),
  ];
}

function readableByAll(what: string, path: string): string[] {
  const isReadable = ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o004) !== 0;
  return isReadable ? [`Every user of this machine may read ${what} ${path}: chmod o-r ${path}`] : [];
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/;
