import { createServer, type RequestListener, type Server } from 'node:http';
import net, { type AddressInfo, type BoundSocket, isIPv4 } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { acceptMore, acceptNoMore } from './accepts.ts';
import { asksToAttach } from './attach/welcome.ts';
import { behindGate } from './http/gate.ts';
import { inTurns } from './http/in-turns.ts';
import { isLoopbackAddress, nameOf } from './http/origin.ts';
import { endRefusedBody } from './http/refused-bodies.ts';
import type { Receiver } from '../telemetry/serve/receiver.ts';

/** Where a server listens, and to whom. */
export interface ListenOptions {
  /** Name or address to listen on; `localhost` means both loopback addresses and no others. */
  readonly host: string;
  /** Certificate and key as PEM texts; without them the service uses plain HTTP. */
  readonly tls?: { readonly certificate: string; readonly key: string } | undefined;
  /**
   * What web pages may send: allowed names in `Host`, and allowed origins in addition to the server's own; none by
   * default.
   */
  readonly pages?: { readonly hosts: readonly string[]; readonly origins: readonly string[] } | undefined;
}

/**
 * How long a client may keep an idle connection: longer than any runner is silent, so that no runner uses a closed one.
 */
const KEEP_ALIVE_MS = 75_000;
/**
 * Connections that may wait to be accepted. A thousand runners that start together would overflow the usual 511, and a
 * client whose first packet is dropped retries after one second, then two, then four.
 */
const BACKLOG = 8_192;
/** The time for requests in flight when the server closes; event streams would keep it open for ever. */
const DRAIN_MS = 1_000;

export async function listen(host: string, port: number, create: () => Server): Promise<Server[]> {
  if (host !== 'localhost') return [await listenOn(create(), host, port)];
  const first = await listenOn(create(), '127.0.0.1', port);
  try {
    // Clients that connect to localhost may try ::1 first; a host without IPv6 works without it.
    return [first, await listenOn(create(), '::1', portOf(first))];
  } catch {
    return [first];
  }
}

export const portOf = (server: Server) => (server.address() as AddressInfo).port;

export function serverOf(
  fetch: Parameters<typeof getRequestListener>[0],
  { host, tls, pages, attach }: ListenOptions & { readonly attach?: unknown },
  { telemetry, waitingWrites }: { readonly telemetry: Receiver | undefined; readonly waitingWrites: () => number },
): Server {
  const answerBy = getRequestListener(fetch);
  const answer: RequestListener = (incoming, outgoing) => {
    if (telemetry?.handles(incoming, outgoing) !== true) void answerBy(incoming, outgoing);
  };
  let gated: RequestListener = answer;
  const begin: RequestListener = (incoming, outgoing) => {
    endRefusedBody(incoming, outgoing);
    gated(incoming, outgoing);
  };
  const listener = inTurns(begin, { waitingWrites });
  const upgrades = { shouldUpgradeCallback: asksToAttach };
  const server =
    tls === undefined
      ? createServer(attach === undefined ? {} : upgrades, listener)
      : // Loaded here: it takes 4 ms, and most servers have no certificate.
        process.getBuiltinModule('node:https').createServer({ cert: tls.certificate, key: tls.key }, listener);
  // The addresses of a name are known only now, and no request has arrived yet.
  server.once('listening', () => {
    const isLoopback = isLoopbackAddress((server.address() as AddressInfo).address);
    const hosts = [nameOf(host.includes(':') ? `[${host}]` : host), ...(pages?.hosts ?? [])];
    gated = behindGate({ isLoopback, isTls: tls !== undefined, hosts, origins: pages?.origins ?? [] }, answer);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = KEEP_ALIVE_MS + 1_000;
  server.requestTimeout = 0;
  return server;
}

const listenOn = (server: Server, host: string, port: number) =>
  new Promise<Server>((resolve, reject) => {
    server.once('error', reject);
    acceptMore(server, BACKLOG);
    const listening = () => {
      server.off('error', reject);
      resolve(server);
    };
    const bound = boundTo(host, port);
    if (bound === undefined) server.listen({ port, host, backlog: BACKLOG }, listening);
    else server.listen(bound, BACKLOG, listening);
  });

/**
 * A socket of an IPv4 address. With an address the runtime would ask the resolver for it, and compile a pattern for link-local IPv6
 * addresses: 7 ms of a start. Undefined for other addresses, and before Node 26.
 */
function boundTo(host: string, port: number): BoundSocket | undefined {
  // Older runtimes have no such class, and a named import of it would fail there.
  const { BoundSocket: Bound } = net as { readonly BoundSocket?: typeof BoundSocket };
  return Bound === undefined || !isIPv4(host) ? undefined : new Bound({ host, port });
}

export async function drain(server: Server): Promise<void> {
  const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  const accepted = acceptNoMore(server);
  const closed = new Promise((resolve) => void server.close(resolve));
  server.closeIdleConnections();
  await Promise.all([accepted, closed]);
  clearTimeout(late);
}
