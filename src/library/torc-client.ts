import { setTimeout as wait } from 'node:timers/promises';
import { type Client, createClient, queryOf } from '../client/client.ts';
import { followEvents } from '../client/event-stream.ts';
import type { StreamEvent } from '../core/contract/event.ts';
import { BASE_PATH } from '../core/contract/base-path.ts';
import { connect, type Connection } from '../client/node/connect.ts';

export interface TorcClientOptions {
  /** URL with the base path; by default `TORC_API_URL`, or a server on this machine. */
  readonly url?: string | undefined;
  /** Default: `TORC_USERNAME`. */
  readonly username?: string | undefined;
  /** Default: `TORC_PASSWORD`; without a password no login is sent. */
  readonly password?: string | undefined;
  /** Sent unchanged, for proxies that require a cookie. */
  readonly cookie?: string | undefined;
  /** Trusted certificates in addition to the system's, as PEM. */
  readonly certificates?: string | undefined;
  /** Accept any certificate. */
  readonly insecure?: boolean | undefined;
}

export interface EventsOptions {
  /** Minimum severity; the default is info. */
  readonly level?: 'debug' | 'info' | 'warning' | 'error' | undefined;
  /** Only these types, regardless of their severity. */
  readonly types?: readonly string[] | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

/** The routes with a single reply, as a type that a class can implement. */
type Calls = Omit<Client, 'streamEvents' | 'streamApiEvents'>;
const WithCalls = class {
  constructor(connection: Connection) {
    Object.assign(this, createClient(connection.send));
  }
} as new (connection: Connection) => Calls;

/**
 * A Torc server as an object: each route is a method, named as in the reference of routes, that takes `{ params, query,
 * body }` and returns the reply. A refusal is thrown as `ServiceError`, a missing reply as `Unreachable`.
 */
export class TorcClient extends WithCalls {
  readonly #connection: Connection;

  constructor(options: TorcClientOptions = {}) {
    const environment = process.env;
    const connection = connect({
      ...options,
      url: (options.url ?? environment['TORC_API_URL'] ?? `http://localhost:8080${BASE_PATH}`).replace(/\/+$/, ''),
      username: options.username ?? environment['TORC_USERNAME'],
      password: options.password ?? environment['TORC_PASSWORD'],
    });
    super(connection);
    this.#connection = connection;
  }

  /**
   * The events of a workflow, from now on and until the signal. A broken connection is opened again after the last
   * event, so no event is missed and none arrives twice.
   */
  async *events(workflowId: number, { level, types, signal }: EventsOptions = {}): AsyncGenerator<StreamEvent> {
    const abort = new AbortController();
    const ended = signal === undefined ? abort.signal : AbortSignal.any([signal, abort.signal]);
    const query = queryOf({ level, types: types?.join(',') });
    try {
      for await (const { event } of followEvents({
        open: this.#connection.events(`/workflows/${workflowId}/events/stream${query}`),
        signal: ended,
        wait: (ms) => wait(ms, undefined, { signal: ended }).catch(() => {}),
      })) {
        yield event;
      }
    } finally {
      abort.abort();
    }
  }

  /** Closes the connections. */
  close(): void {
    this.#connection.close();
  }
}
