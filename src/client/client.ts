import type { Input, Reply, RouteName } from '../core/contract/routes.ts';
import { calls } from './calls.gen.ts';
import { type Response, ServiceError } from './errors.ts';
import { type ExpectedReply, serverReply } from './reply.ts';

/** A request before it is sent; its path is relative to the base path. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  /** Sent as `Idempotency-Key`: the server executes requests with the same key once. */
  readonly key?: string | undefined;
}

/** Sends requests: over a connection, or directly to an app in a test. Throws `Unreachable` if there is no reply. */
export type Send = (request: Request) => Promise<Response>;

/** The required and the optional parts of a call: a query without required fields may be left out. */
type Given<N extends RouteName> = { [P in keyof Input<N>]: undefined extends Input<N>[P] ? never : P }[keyof Input<N>];
type Optional<N extends RouteName> = Extract<
  { [P in Given<N>]: object extends Input<N>[P] ? P : never }[Given<N>],
  'query'
>;
type Call<N extends RouteName> = Pick<Input<N>, Exclude<Given<N>, Optional<N>>> & {
  readonly [P in Optional<N>]?: Input<N>[P] | undefined;
};

/**
 * The routes as methods. Of a reply only this is checked, that no other program sent it: both sides are built from one
 * table.
 */
export type Client = {
  readonly [N in RouteName]: (...call: object extends Call<N> ? [Call<N>?] : [Call<N>]) => Promise<Reply<N>>;
};

export function createClient(send: Send): Client {
  const call =
    (name: string, method: string, path: string, expected: ExpectedReply) =>
    async (input: { params?: object; query?: object; body?: unknown } = {}) => {
      const response = await send({
        method,
        path: pathOf(path, input.params ?? {}) + queryOf(input.query ?? {}),
        body: input.body === undefined ? undefined : JSON.stringify(input.body),
      });
      if (response.status >= 400) throw new ServiceError(wordsOf(name), response);
      return serverReply(wordsOf(name), response, expected);
    };
  return Object.fromEntries(
    Object.entries(calls).map(([name, [method, path, expected]]) => [name, call(name, method, path, expected)]),
  ) as unknown as Client;
}

/** The path with its encoded parameters. */
export function pathOf(template: string, params: object): string {
  const values = params as Record<string, string | number>;
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

export function queryOf(query: object): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined);
  if (set.length === 0) return '';
  return `?${set.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`;
}

/** `listComputeNodes` → `list compute nodes`: for messages. */
const wordsOf = (name: string) => name.replaceAll(/([A-Z])/g, ' $1').toLowerCase();
