import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../../core/contract/refusals.ts';

/**
 * Protects the service from web pages.
 *
 * Every page that a user opens can send requests to the loopback addresses of the user's machine. Two rules stop that:
 *
 * - A server that is bound to a loopback address answers only requests for a loopback name. A page whose own name was
 *   changed to resolve to 127.0.0.1 (DNS rebinding) has its own name in `Host`.
 * - No server answers a request that a browser sends for a page of another origin. Browsers state it in `Origin` or
 *   `Sec-Fetch-Site`; other programs send neither.
 *
 * The rules precede all routes, so they apply to streams, pages and unknown paths too.
 */
export interface GateRules {
  /** Bound to a loopback address. */
  readonly isLoopback: boolean;
  readonly isTls: boolean;
  /** Accepted names in addition to those of loopback, in lower case and without a port. */
  readonly hosts: readonly string[];
  /** Origins whose pages are accepted: `https://portal.example.org`. */
  readonly origins: readonly string[];
}

type Heads = Pick<IncomingHttpHeaders, 'host' | 'origin' | 'sec-fetch-site'>;

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
/** The values of `Sec-Fetch-Site` for a request that the user made, or a page of this server. */
const OWN_SITES = ['none', 'same-origin'];

/** Decides whether a request is answered; returns the refusal otherwise. */
export function createGate({ isLoopback, isTls, hosts, origins }: GateRules): (heads: Heads) => Refusal | undefined {
  const names = new Set([...LOOPBACK_NAMES, ...hosts]);
  const allowed = new Set(origins);
  // Almost all requests have the same text, so it is parsed once.
  let accepted: string | undefined;
  const hostRefusal = (host: string | undefined): Refusal | undefined => {
    if (!isLoopback || (host !== undefined && host === accepted)) return undefined;
    if (host === undefined || !names.has(nameOf(host))) return hostRefused(host);
    accepted = host;
    return undefined;
  };
  const isOwn = (origin: string, host: string | undefined) =>
    host !== undefined &&
    [...(isTls ? [] : ['http:']), 'https:'].some((scheme) => origin === allowedOriginOf(`${scheme}//${host}`));

  return ({ host, origin, 'sec-fetch-site': site }) => {
    const refusal = hostRefusal(host);
    if (refusal !== undefined || (origin === undefined && site === undefined)) return refusal;
    if (origin !== undefined) return isOwn(origin, host) || allowed.has(origin) ? undefined : originRefused(origin);
    return OWN_SITES.includes(site as string) ? undefined : siteRefused(site as string);
  };
}

/**
 * The origin in the form that browsers write in `Origin`; undefined for an invalid text.
 *
 * A page without an origin sends `null`, and so do pages that a stranger can create: it is never allowed.
 */
export function allowedOriginOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' ? url.origin : undefined;
}

/** The name in a `Host`: lower case, without the port and the final dot; IPv6 addresses in brackets. */
export const nameOf = (host: string): string => host.trim().toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');

/** Whether only programs of this machine reach a socket with this address. */
export const isLoopbackAddress = (address: string): boolean => /^(::1|(::ffff:)?127(\.\d+){3})$/.test(address);

const hostRefused = (host = '') =>
  new Refusal(
    'HOST_REFUSED',
    `Host "${host}": this server is bound to a loopback address, and expected ${LOOPBACK_NAMES.join(', ')} or an allowed name`,
    { host },
  );

const originRefused = (origin: string) =>
  new Refusal('ORIGIN_REFUSED', `Origin "${origin}": requests of pages from other origins are not answered`, {
    origin,
  });

const siteRefused = (site: string) =>
  new Refusal('ORIGIN_REFUSED', `Sec-Fetch-Site "${site}": requests of pages from other origins are not answered`, {
    site,
  });
