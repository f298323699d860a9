import { isSecret } from '../../cluster/secret.ts';
import type { Caller } from '../caller.ts';
import { crypto, digest } from './digest.ts';

/** How long a session lasts without a request, and at most. */
const [IDLE_MS, LONGEST_MS] = [12 * 3_600_000, 7 * 24 * 3_600_000];
/** How long a start token can be exchanged for a session: a person opens the address that was just printed. */
const TOKEN_MS = 10 * 60_000;
/** Sessions, and tokens, of one user and of all users; the oldest end. So no user ends those of others. */
const [MOST_OF_USER, MOST] = [50, 1_000];

/**
 * Sessions of pages, in memory: they end with the server.
 *
 * A session has two secrets. The cookie is out of reach of scripts. The key is sent by the page in a header, which pages of other
 * origins cannot set, and stays with the origin of the page: browsers send cookies to every port of a host, and on a login
 * node another port is another user's program. Either alone is worth nothing.
 */
export interface Sessions {
  begin(caller: Caller): { readonly cookie: string; readonly key: string };
  callerOf(cookie: string, key: string): Caller | undefined;
  end(cookie: string): void;
  /** Ends all sessions: passwords may have changed. */
  endAll(): void;
  /** Calls `check` after sessions were ended. */
  onEnd(check: () => void): () => void;
  /** A token that is exchanged for a session of this caller once. */
  createToken(caller: Caller): string;
  redeem(token: string): Caller | undefined;
}

const nameOf = (secret: string) => digest(secret).toString('base64');
const secret = () => crypto().randomBytes(32).toString('base64url');

export function createSessions(now: () => number): Sessions {
  const sessions = new Map<
    string,
    { readonly key: string; readonly caller: Caller; readonly endsMs: number; usedMs: number }
  >();
  const tokens = new Map<string, { readonly caller: Caller; readonly endsMs: number }>();
  const watchers = new Set<() => void>();
  const haveEnded = () => {
    for (const check of watchers) check();
  };
  const limit = (map: Map<string, { readonly caller: Caller }>, { user }: Caller) => {
    const own = [...map].flatMap(([name, { caller }]) => (caller.user === user ? [name] : []));
    const [oldest = ''] = own.length > MOST_OF_USER ? own : map.size > MOST ? map.keys() : [];
    if (map.delete(oldest)) haveEnded();
  };
  return {
    begin(caller) {
      const [cookie, key] = [secret(), secret()];
      sessions.set(nameOf(cookie), { key: nameOf(key), caller, endsMs: now() + LONGEST_MS, usedMs: now() });
      limit(sessions, caller);
      return { cookie, key };
    },
    callerOf(cookie, key) {
      const name = nameOf(cookie);
      const found = sessions.get(name);
      if (found === undefined || !isSecret(nameOf(key), found.key)) return undefined;
      if (now() >= found.endsMs || now() >= found.usedMs + IDLE_MS) {
        sessions.delete(name);
        return undefined;
      }
      found.usedMs = now();
      return found.caller;
    },
    end(cookie) {
      sessions.delete(nameOf(cookie));
      haveEnded();
    },
    endAll() {
      sessions.clear();
      tokens.clear();
      haveEnded();
    },
    onEnd(check) {
      watchers.add(check);
      return () => void watchers.delete(check);
    },
    createToken(caller) {
      const token = secret();
      tokens.set(nameOf(token), { caller, endsMs: now() + TOKEN_MS });
      limit(tokens, caller);
      return token;
    },
    redeem(token) {
      const name = nameOf(token);
      const found = tokens.get(name);
      tokens.delete(name);
      return found !== undefined && now() < found.endsMs ? found.caller : undefined;
    },
  };
}
