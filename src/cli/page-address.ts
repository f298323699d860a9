import type { Client } from '../client/client.ts';
import { isUnknownRoute } from '../client/compat/unknown-route.ts';
import { BASE_PATH } from '../core/contract/base-path.ts';
import { Refusal } from '../core/contract/refusals.ts';
import type { Context } from './command/context.ts';

/** Where a browser finds the page of a server. */
export interface PageAddress {
  /** With a start token where the server asks for a login. */
  readonly url: string;
  /** The command for a user who is logged in by ssh and whose browser is on another machine. */
  readonly tunnel: string | undefined;
}

/** Whether the server knows its users, so that the page needs a session. */
export const asksForLogin = ({ standalone, password, asksPassword }: Context['settings']): boolean =>
  standalone || password !== undefined || asksPassword;

/** The folder of a server in which its page is. */
export const rootOf = (url: string): string => url.slice(0, url.lastIndexOf(BASE_PATH) + 1);

/**
 * The start token of a page, as the part of its address behind `#`; empty where the server asks for no login. Throws
 * `ROUTE_UNKNOWN` for a server without a page.
 *
 * A start token is worth a login of this user, so it is printed and never an argument of a program.
 */
export async function startToken({ settings }: Context, client: Client): Promise<string> {
  try {
    await client.listWorkflowOverviews({ query: { limit: 1 } });
    return asksForLogin(settings) ? `token=${(await client.createPageToken()).token}` : '';
  } catch (error) {
    if (!isUnknownRoute(error)) throw error;
    const message = 'this server has no page, as Torc 1.0.0: its dashboard is a program of its own';
    throw new Refusal('ROUTE_UNKNOWN', message, {}, { cause: error });
  }
}

/** The command that forwards a port of this machine; undefined without ssh. */
export const tunnelTo = ({ environment }: Context, port: number | string): string | undefined =>
  environment['SSH_CONNECTION'] === undefined
    ? undefined
    : `From your own machine: ssh -L ${port}:127.0.0.1:${port} <this host>, then open the address there.`;

/** The address of the page, or of one workflow in it. */
export async function pageAddress(
  context: Context,
  { client, url }: { readonly client: Client; readonly url: string },
  workflowId?: number,
): Promise<PageAddress> {
  const root = rootOf(url);
  const behind = (await startToken(context, client)) + (workflowId === undefined ? '' : `/workflows/${workflowId}`);
  const { hostname, port } = new URL(root);
  const isHere = /^(localhost|127\.|\[::1\])/.test(hostname);
  return {
    url: behind === '' ? root : `${root}#${behind}`,
    tunnel: isHere ? tunnelTo(context, port) : undefined,
  };
}
