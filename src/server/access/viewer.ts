import type { IncomingMessage } from 'node:http';
import type { Viewer } from '../../telemetry/serve/receiver.ts';
import type { LoginCheck } from './login.ts';
import type { AccessSettings } from './settings.ts';

/**
 * What the sender of a request may see of telemetry: with access control, users see their own jobs and what concerns
 * whole nodes, and administrators everything.
 */
export const viewerBy =
  (login: LoginCheck, access: AccessSettings | undefined) =>
  async ({ headers, socket }: IncomingMessage): Promise<Viewer> => {
    const caller = await login.callerOf(headers.authorization, {
      address: socket.remoteAddress ?? '',
      isGone: () => socket.destroyed || !socket.writable,
    });
    if (caller === undefined || caller.jobsOf !== undefined) return 'refused';
    if (access?.enforce !== true) return { onlyUser: undefined };
    if (caller.user === undefined) return 'refused';
    return { onlyUser: access.administrators.includes(caller.user) ? undefined : caller.user };
  };
