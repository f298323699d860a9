import type { HostRequestOf } from '../../core/remote/remote-host.ts';

/** How hosts reach the service: it is the same for all of them. */
export type RemoteService = HostRequestOf<'start'>['service'];

/** Does an address name the machine that uses it, and so another one on each host? */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
