import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../../core/contract/refusals.ts';

/**
 * Keeps web pages away from the service.
 *
 * Every page that a user opens can send requests to the loopback addresses of the user's machine. Two rules stop that:
 *
 * - A server that is bound to a loopback address answers only requests that name it by a loopback name. A page whose own name
 *   was changed to resolve to 127.0.0.1 (DNS rebinding) has its own name in `Host`.
 * - No server answers a request that a browser sends for a page of another origin. Browsers say so in `Origin` or
 *   `Sec-Fetch-Site`; other programs send neither.
 *
 * The rules stand before all routes, so they hold for streams, pages and unknown paths too.
 */
export interface GateRules {
  /** Bound to a loopback address. */
  readonly isLoopback: boolean;
  readonly isTls: boolean;
  /** Names that are answered beside those of loopback, in lower case and without a port. */
  readonly hosts: readonly string[];
  /** Origins whose pages are answered: `https://portal.example.org`. */
  readonly origins: readonly string[];
}

type Heads = Pick<IncomingHttpHeaders, 'host' | 'origin' | 'sec-fetch-site'>;

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
/** What `Sec-Fetch-Site` is for a request that the user made, or a page of this server. */
const OWN_SITES = ['none', 'same-origin'];

/** Decides whether a request is answered; the refusal where it is not. */
export function createGate({ isLoopback, isTls, hosts, origins }: GateRules): (heads: Heads) => Refusal | undefined {
  const names = new Set([...LOOPBACK_NAMES, ...hosts]);
  const allowed = new Set(origins);
  // Nearly all requests carry the same text, so it is taken apart once.
  let accepted: string | undefined;
  const hostRefusal = (host: string | undefined): Refusal | undefined => {
    if (!isLoopback || (host !== undefined && host === accepted)) return undefined;
    if (host === undefined || !names.has(nameOf(host))) return hostRefused(host);
    accepted = host;
    return undefined;
  };
  const isOwn = (origin: string, host: string | undefined) =>
    host !== undefined &&
    [...(isTls ? [] : ['http:']), 'https:'].some((scheme) => origin === originOf(`${scheme}//${host}`));

  return ({ host, origin, 'sec-fetch-site': site }) => {
    const refusal = hostRefusal(host);
    if (refusal !== undefined || (origin === undefined && site === undefined)) return refusal;
    if (origin !== undefined) return isOwn(origin, host) || allowed.has(origin) ? undefined : originRefused(origin);
    return OWN_SITES.includes(site as string) ? undefined : siteRefused(site as string);
  };
}

/**
 * The origin as browsers write it in `Origin`; undefined for a text that is none.
 *
 * A page without an origin sends `null`, and so do pages that a stranger can make: it is never allowed.
 */
export function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' ? url.origin : undefined;
}

/** The name in a `Host`: lower case, without the port and the dot of a full name; IPv6 addresses in brackets. */
export const nameOf = (host: string): string => host.trim().toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');

/** Is this the address of a socket that only programs of this machine reach? */
export const isLoopbackAddress = (address: string): boolean => /^(::1|(::ffff:)?127(\.\d+){3})$/.test(address);

const hostRefused = (host = '') =>
  new Refusal(
    'HOST_REFUSED',
    `Host "${host}": this server is bound to a loopback address, and expected ${LOOPBACK_NAMES.join(', ')} or a name that it was told to allow`,
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
