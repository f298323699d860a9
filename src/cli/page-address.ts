import type { Client } from '../client/client.ts';
import { isUnknownRoute } from '../client/compat/unknown-route.ts';
import { BASE_PATH } from '../core/contract/base-path.ts';
import { Refusal } from '../core/contract/refusals.ts';
import type { Context } from './context.ts';

/** Where a browser finds the page of a server. */
export interface PageAddress {
  /** With a start token where the server asks for a login. */
  readonly url: string;
  /** What a person types who is on this machine through ssh, and whose browser is not. */
  readonly tunnel: string | undefined;
}

/**
 * The address of the page, or of one workflow in it. Throws `ROUTE_UNKNOWN` for a server without a page.
 *
 * A start token is worth a login of this user, so it is printed and never an argument of a program.
 */
export async function pageAddress(
  { settings, environment }: Context,
  { client, url }: { readonly client: Client; readonly url: string },
  workflowId?: number,
): Promise<PageAddress> {
  const root = url.slice(0, url.lastIndexOf(BASE_PATH) + 1);
  const view = workflowId === undefined ? '' : `/workflows/${workflowId}`;
  const asksForLogin = settings.standalone || settings.password !== undefined || settings.asksPassword;
  try {
    await client.listWorkflowOverviews({ query: { limit: 1 } });
    const token = asksForLogin ? `token=${(await client.createPageToken()).token}` : '';
    const { hostname, port } = new URL(root);
    const isHere = /^(localhost|127\.|\[::1\])/.test(hostname);
    return {
      url: token + view === '' ? root : `${root}#${token}${view}`,
      tunnel:
        environment['SSH_CONNECTION'] !== undefined && isHere
          ? `From your own machine: ssh -L ${port}:127.0.0.1:${port} <this host>, then open the address there.`
          : undefined,
    };
  } catch (error) {
    if (!isUnknownRoute(error)) throw error;
    const message = 'this server has no page, as Torc 1.0.0: its dashboard is a program of its own';
    throw new Refusal('ROUTE_UNKNOWN', message, {}, { cause: error });
  }
}
