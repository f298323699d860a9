import type { Client, Send } from '../client/client.ts';
import { Unreachable } from '../client/errors.ts';
import { patientAfterContact, PATIENCE_MS } from '../client/patient-after-contact.ts';
import { API_VERSION, VERSION } from '../core/contract/version.ts';
import { BATCH_VARIABLE } from '../core/allocation/batch-variable.ts';
import type { Connection } from '../client/node/connect.ts';
import { certificatesIn } from '../client/node/certificates.ts';
import type { Context, OpenContext, Service } from './command/context.ts';
import { Failure } from './command/failure.ts';
import type { Settings } from './command/settings.ts';
import type { Output } from './output/output.ts';
import type { Standalone } from './standalone/standalone.ts';

export function createContext({
  settings,
  configuration,
  output,
  environment: given,
  hint,
  torc,
  makesDatabase = false,
}: Pick<Context, 'settings' | 'configuration' | 'output' | 'environment' | 'hint' | 'torc'> & {
  /** A standalone database that is missing is made. */ readonly makesDatabase?: boolean;
}): OpenContext {
  const system = configuration['client.batch.system'];
  const environment = system === undefined ? given : { ...given, [BATCH_VARIABLE]: system };
  let exitCode = 0;
  let opened: Promise<Service> | undefined;
  let standalone: Standalone | undefined;
  let connection: Connection | undefined;

  const open = async (): Promise<Service> => {
    const { connect } = await import('../client/node/connect.ts');
    const { withoutLogin } = await import('../client/node/url-login.ts');
    const { createClient } = await import('../client/client.ts');
    if (settings.standalone) {
      const { openStandalone } = await import('./standalone/open.ts');
      const umask = configuration['client.run.umask'];
      standalone = await openStandalone({ settings, output, environment, umask, makesDatabase });
    }
    const given = withoutLogin(validUrl(standalone?.url ?? settings.url));
    const { url, user = settings.user } = given;
    const password = standalone?.credential ?? given.password ?? (await passwordOf(settings));
    connection = connect({
      url,
      username: user,
      password,
      cookie: settings.cookie,
      certificates: certificatesIn(settings.tlsCaCert, output.warn),
      insecure: settings.tlsInsecure,
    });
    const credential = standalone?.credential;
    // Loaded here: a command without a server of its own does without.
    const { jobTokenOf } = credential === undefined ? {} : await import('../server/access/job-token.ts');
    const jobVariables: Service['jobVariables'] = (workflowId) => {
      const ofJobs = credential === undefined ? password : jobTokenOf?.(credential, workflowId);
      if (ofJobs === undefined) return [];
      return [
        ['TORC_USERNAME', user],
        ['TORC_PASSWORD', ofJobs],
      ];
    };
    if (standalone !== undefined)
      connection = whileThere({ ...connection, send: reading(connection.send, standalone) }, standalone);
    const client = createClient(
      patientAfterContact(connection.send, (reason) =>
        output.warn(`the server does not answer: ${reason}; retrying for ${PATIENCE_MS / 1000} s`),
      ),
    );
    // A server started for this command has the same version, unless another program was named.
    const isOwn = standalone?.isOwn === true && settings.serverProgram === undefined;
    if (!settings.skipVersionCheck && !isOwn) await checkVersion(client, output);
    return { client, connection, url, user, password, jobVariables };
  };

  return {
    settings,
    configuration,
    output,
    environment,
    service: () => (opened ??= open()),
    hint,
    torc,
    exitWith(code) {
      exitCode = code;
    },
    get exitCode() {
      return exitCode;
    },
    async close() {
      await opened?.catch(() => {});
      connection?.close();
      await standalone?.stop();
    },
  };
}

/** Requests that change something are refused before they are sent where nothing can be changed. */
const reading =
  (send: Send, { readsOnly }: Pick<Standalone, 'readsOnly'>): Send =>
  async (request) => {
    if (readsOnly !== undefined && request.method !== 'GET') throw new Failure(readsOnly);
    return send(request);
  };

/**
 * Nothing is sent while no server has proved that it is the one: another user's program may have the port by then, and every request
 * carries the credential. Where no server will, requests end with the reason: what waits for a server need not wait.
 */
function whileThere({ send, events, close }: Connection, { away }: Pick<Standalone, 'away'>): Connection {
  const refuse = (cause?: unknown) => {
    const absent = away();
    if (absent !== undefined) throw new Unreachable(absent.why, { cause, isForGood: absent.isForGood });
  };
  return {
    close,
    async send(request) {
      refuse();
      try {
        return await send(request);
      } catch (cause) {
        if (cause instanceof Unreachable) refuse(cause);
        throw cause;
      }
    },
    events: (path) => {
      const open = events(path);
      return async (lastEventId, signal) => {
        refuse();
        return open(lastEventId, signal);
      };
    },
  };
}

async function passwordOf({ asksPassword, password }: Settings): Promise<string | undefined> {
  if (!asksPassword) return password;
  const { passwordFor } = await import('./terminal/ask-password.ts');
  return passwordFor(undefined, false);
}

/** Compares versions with the server; an unreachable server is reported when it is used. */
async function checkVersion(client: Client, output: Output): Promise<void> {
  const { compareVersions } = await import('../client/compare-versions.ts');
  const reported = await client.getVersion({}).catch(() => undefined);
  if (reported === undefined) return;
  const { severity, message } = compareVersions({ version: VERSION, api_version: API_VERSION }, reported);
  if (severity === 'major') throw new Failure(`${message}; use --skip-version-check to continue`);
  if (severity !== 'none') output.warn(message);
}

function validUrl(text: string): string {
  try {
    return new URL(text).href;
  } catch (cause) {
    throw new Failure(`not a URL: "${text}"; expected something like http://localhost:8080/torc-service/v1`, { cause });
  }
}
