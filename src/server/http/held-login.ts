import type { Context } from 'hono';
import type { LoginCheck } from '../access/login.ts';
import type { Sessions } from '../access/sessions.ts';
import type { Permissions } from '../caller.ts';
import { type Answers, callerOf } from './answers.ts';
import { heldSession } from './page/session.ts';

/** What goes on for longer than a request: it ends with the login that it began with, and with the rights of its caller. */
export interface HeldLogins {
  /** Whether the session of this request is open, or its user has the password of then. */
  readonly of: (context: Context<Answers>) => () => boolean;
  /** Calls `check` when a login may have ended, or a user has lost rights. */
  readonly onChange: (check: () => void) => () => void;
}

export function createHeldLogins(
  login: Pick<LoginCheck, 'holdOf'>,
  sessions: Sessions,
  permissions: Pick<Permissions, 'onChange'>,
): HeldLogins {
  return {
    of(context) {
      const [isInSession, { user }] = [heldSession(context, sessions), callerOf(context)];
      const hasPassword = user === undefined ? undefined : login.holdOf?.(user);
      return () => isInSession() && hasPassword?.() !== false;
    },
    onChange(check) {
      const stops = [permissions.onChange(check), sessions.onEnd(check)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
