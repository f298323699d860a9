import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Refusal } from '../../core/contract/refusals.ts';
import { ANONYMOUS, type Caller } from '../store/caller.ts';
import { readUsers } from './htpasswd.ts';
import type { AccessSettings } from './settings.ts';
import { createVerifier } from './verify.ts';

/** Tells who sends a request by its `Authorization`; undefined for somebody who is not answered at all. */
export interface Login {
  callerOf(authorization: string | undefined): Caller | undefined | Promise<Caller | undefined>;
  /** Reads who may log in anew and answers how many may. */
  reload(): number;
  close(): Promise<void>;
}

const digest = (text: string) => createHash('sha256').update(text).digest();

const withoutUsers = {
  reload(): never {
    throw new Refusal(
      'USERS_FILE_MISSING',
      'No auth file configured. Start the server with --auth-file to enable auth reloading.',
    );
  },
  close: () => Promise.resolve(),
};

/** Everybody is answered, and nobody has a name. */
export const openLogin: Login = { callerOf: () => ANONYMOUS, ...withoutUsers };

/** Only requests are answered that carry the credential: as a bearer token, or as the password of a login. */
export function credentialLogin(credential: string): Login {
  const expected = digest(credential);
  return {
    callerOf(authorization) {
      const presented = bearerOf(authorization) ?? loginOf(authorization)?.password;
      return presented !== undefined && timingSafeEqual(digest(presented), expected) ? ANONYMOUS : undefined;
    },
    ...withoutUsers,
  };
}

/** Logins, good and bad, that are remembered at most: one that is tried over and over costs one comparison. */
const REMEMBERED = 10_000;

/**
 * Logins from an htpasswd file.
 *
 * A comparison takes a tenth of a second and more, so its outcome is remembered, and those who ask for the same at the
 * same time share one. Without a good login a caller is anonymous, or is not answered at all where one is required.
 *
 * @throws {UsersFileError} when the file is not one.
 */
export function usersLogin(
  path: string,
  { requireLogin, cacheSeconds }: Pick<AccessSettings, 'requireLogin' | 'cacheSeconds'>,
  now: () => number,
): Login {
  const read = () => readUsers(readFileSync(path, 'utf8'), path);
  const verifier = createVerifier();
  let users = read();
  const known = new Map<string, { readonly isRight: boolean | Promise<boolean>; readonly untilMs: number }>();

  const compare = (user: string, password: string): boolean | Promise<boolean> => {
    const hash = users.get(user);
    if (hash === undefined) return false;
    const key = digest(`${user}:${password}`).toString('base64');
    const before = known.get(key);
    if (before !== undefined && now() < before.untilMs) return before.isRight;
    const untilMs = now() + cacheSeconds * 1000;
    const compared = verifier.verify(password, hash).then((isRight) => {
      if (known.get(key)?.isRight === compared) {
        if (cacheSeconds > 0) known.set(key, { isRight, untilMs });
        else known.delete(key);
      }
      return isRight;
    });
    compared.catch(() => known.delete(key));
    if (known.size >= REMEMBERED) known.delete(known.keys().next().value as string);
    // Until it is compared, others who ask wait for the same comparison.
    known.set(key, { isRight: compared, untilMs: Infinity });
    return compared;
  };

  return {
    callerOf(authorization) {
      const login = loginOf(authorization);
      if (login === undefined) return requireLogin ? undefined : ANONYMOUS;
      const { user, password } = login;
      const decide = (isRight: boolean): Caller | undefined => {
        if (isRight) return { user };
        return requireLogin ? undefined : { user: undefined, refused: user };
      };
      const compared = compare(user, password);
      return typeof compared === 'boolean' ? decide(compared) : compared.then(decide);
    },
    reload() {
      try {
        users = read();
      } catch (cause) {
        const words = `${(cause as Error).message}; the users are those of before`;
        throw new Refusal('USERS_FILE_REFUSED', words, { path }, { cause });
      }
      known.clear();
      return users.size;
    },
    close: () => verifier.close(),
  };
}

function bearerOf(header: string | undefined): string | undefined {
  return /^bearer (.*)$/i.exec(header ?? '')?.[1];
}

function loginOf(header: string | undefined): { user: string; password: string } | undefined {
  const encoded = /^basic (.*)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
