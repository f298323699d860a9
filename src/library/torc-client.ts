import { setTimeout as wait } from 'node:timers/promises';
import { type Client, createClient, queryOf } from '../client/client.ts';
import { followEvents } from '../client/event-stream.ts';
import type { StreamEvent } from '../core/contract/event.ts';
import { BASE_PATH } from '../core/contract/base-path.ts';
import { connect, type Connection } from '../runner/send.ts';

export interface TorcClientOptions {
  /** With the base path; `TORC_API_URL` unless said, or a server on this machine. */
  readonly url?: string | undefined;
  /** `TORC_USERNAME` unless said. */
  readonly username?: string | undefined;
  /** `TORC_PASSWORD` unless said; without one no login is sent. */
  readonly password?: string | undefined;
  /** Sent as it is, for proxies that want one. */
  readonly cookie?: string | undefined;
  /** Certificates to trust besides the system's, as PEM. */
  readonly certificates?: string | undefined;
  /** Accept any certificate. */
  readonly insecure?: boolean | undefined;
}

export interface EventsOptions {
  /** Least severity; info unless said. */
  readonly level?: 'debug' | 'info' | 'warning' | 'error' | undefined;
  /** Only these types, whatever their severity. */
  readonly types?: readonly string[] | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

/** The routes that answer once, as methods of an object: what a class may be made of. */
type Calls = Omit<Client, 'streamEvents' | 'streamApiEvents'>;
const WithCalls = class {
  constructor(connection: Connection) {
    Object.assign(this, createClient(connection.send));
  }
} as new (connection: Connection) => Calls;

/**
 * A Torc server as an object: each route is a method, named as in the reference of routes, that takes
 * `{ params, query, body }` and answers what the route answers. What the server refuses is thrown as `ServiceError`, and
 * `Unreachable` when there is no answer.
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
   * What happens in a workflow, from now on and until the signal. A connection that breaks is made again behind the last
   * event, so that none is missed and none comes twice.
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
