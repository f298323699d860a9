import type { IncomingMessage } from 'node:http';
import type { Viewer } from '../../telemetry/receive/receiver.ts';
import type { Caller } from '../caller.ts';
import type { Login } from './login.ts';
import type { AccessSettings } from './settings.ts';

/**
 * What the sender of a request may see of telemetry: with access control, users see their own jobs and what concerns
 * whole nodes, and administrators everything. `callerOfPage` is who looks at a page with a session.
 */
export const viewerBy =
  (login: Login, access: AccessSettings | undefined, callerOfPage: (incoming: IncomingMessage) => Caller | undefined) =>
  async (incoming: IncomingMessage): Promise<Viewer> => {
    const { headers, socket } = incoming;
    const caller =
      (headers.authorization === undefined ? callerOfPage(incoming) : undefined) ??
      (await login.callerOf(headers.authorization, {
        address: socket.remoteAddress ?? '',
        isGone: () => socket.destroyed || !socket.writable,
      }));
    if (caller === undefined) return 'refused';
    if (access?.enforce !== true) return { onlyUser: undefined };
    if (caller.user === undefined) return 'refused';
    return { onlyUser: access.administrators.includes(caller.user) ? undefined : caller.user };
  };
