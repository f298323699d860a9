import { readFileSync } from 'node:fs';
import { isSecret } from '../../cluster/secret.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { costOfHash, MOST_COST, readUsersFile } from '../../core/text/users-file.ts';
import { ANONYMOUS, type Caller } from '../caller.ts';
import { crypto, digest } from './digest.ts';
import { createLoginQueue, type LoginOutcome } from './login-queue.ts';
import { workflowOfToken } from './job-token.ts';
import type { AccessSettings } from './settings.ts';
import { createVerifier } from './verify.ts';

/** The connection of a login. */
export interface Sender {
  readonly address: string;
  /** The connection is closed: the reply will not be read. */
  isGone(): boolean;
}

const UNKNOWN_SENDER: Sender = { address: '', isGone: () => false };

/** The user who sends a request, by its `Authorization`; undefined if the request is refused. */
export interface LoginCheck {
  /** Requests have a credential instead of a user. */
  readonly isCredential?: true;
  callerOf(authorization: string | undefined, sender?: Sender): Caller | undefined | Promise<Caller | undefined>;
  /** Whether this is a user; undefined where requests have no user. */
  readonly knows?: (user: string) => boolean;
  /** Whether this user still has the password of now; undefined where requests have no user. */
  readonly holdOf?: (user: string) => () => boolean;
  /** Reads the users again and returns their number. */
  reload(): number;
  close(): Promise<void>;
}

const withoutUsers = {
  reload(): never {
    throw new Refusal(
      'USERS_FILE_MISSING',
      'No auth file configured. Start the server with --auth-file to enable auth reloading.',
    );
  },
  close: () => Promise.resolve(),
};

/** Every request is served, and no request has a user. */
export const openLogin: LoginCheck = { callerOf: () => ANONYMOUS, ...withoutUsers };

/**
 * Only requests with the credential, or with the token of jobs that is derived from it, are served: as a bearer token, or as the
 * password of a login.
 */
export function credentialLogin(credential: string): LoginCheck {
  return {
    callerOf(authorization) {
      const presented = bearerOf(authorization) ?? loginOf(authorization)?.password;
      if (presented === undefined) return undefined;
      if (isSecret(presented, credential)) return ANONYMOUS;
      const jobsOf = workflowOfToken(presented, credential);
      return jobsOf === undefined ? undefined : { user: undefined, jobsOf };
    },
    isCredential: true,
    ...withoutUsers,
  };
}

/** The maximum number of cached logins, valid and invalid: repeating one costs a single comparison. */
const REMEMBERED = 10_000;
/**
 * Unknown names share this many queues: invented names cannot crowd out real ones, and a single one behaves like a real
 * one.
 */
const UNKNOWN_QUEUES = 16;

/** One comparison that several requests wait for. */
interface Shared {
  readonly outcome: Promise<LoginOutcome>;
  readonly senders: Sender[];
}

/**
 * Logins from an htpasswd file.
 *
 * A comparison takes a tenth of a second or more, so its result is cached, and concurrent requests with the same login
 * share one. `login-queue.ts` defines the order of comparisons. Without a valid login a caller is anonymous, or refused
 * if a login is required. An unknown name is compared too, so that it takes as long as a known one.
 *
 * @throws {UsersFileError} if the file is invalid.
 */
export function usersLogin(
  path: string,
  { requireLogin, cacheSeconds }: Pick<AccessSettings, 'requireLogin' | 'cacheSeconds'>,
  now: () => number,
): LoginCheck {
  const read = () => readUsers(readFileSync(path, 'utf8'), path);
  const verifier = createVerifier();
  const queue = createLoginQueue(now);
  const { createHmac, randomBytes } = crypto();
  // Without it, cached logins cannot be guessed from a copy of the memory.
  const secret = randomBytes(32);
  let users = read();
  let unmatchedHash = hashWithoutPassword(users);
  const known = new Map<string, { readonly isRight: boolean; readonly untilMs: number }>();
  const compared = new Map<string, Shared>();
  const rightBefore = new Set<string>();

  const remember = (key: string, isRight: boolean, untilMs: number) => {
    if (isRight) {
      limit(rightBefore);
      rightBefore.add(key);
    }
    if (cacheSeconds === 0) return;
    limit(known);
    known.set(key, { isRight, untilMs });
  };

  const compare = (user: string, password: string, sender: Sender): boolean | Promise<boolean> => {
    const key = createHmac('sha256', secret).update(`${user}:${password}`).digest('base64');
    const before = known.get(key);
    if (before !== undefined && now() < before.untilMs) return before.isRight;
    let shared = compared.get(key);
    if (shared === undefined) {
      shared = ask(key, user, password, sender);
      compared.set(key, shared);
    } else shared.senders.push(sender);
    return shared.outcome.then((outcome) => outcome === 'right');
  };

  const ask = (key: string, user: string, password: string, sender: Sender): Shared => {
    const senders = [sender];
    const hash = users.get(user);
    const since = users;
    const outcome = queue.ask({
      name: hash === undefined ? `\0unknown ${digest(user).readUInt8() % UNKNOWN_QUEUES}` : user,
      address: networkOf(sender.address),
      isTrusted: rightBefore.has(key),
      isGone: () => senders.every((each) => each.isGone()),
      compare: async () => {
        const usable = hash !== undefined && costOfHash(hash) <= MOST_COST ? hash : undefined;
        return (await verifier.verify(password, usable ?? unmatchedHash)) && usable !== undefined;
      },
    });
    const untilMs = now() + cacheSeconds * 1000;
    const forget = () => {
      if (compared.get(key)?.outcome === outcome) compared.delete(key);
    };
    outcome.then((found) => {
      // Users that were read meanwhile may have other passwords.
      if (found !== 'gone' && users === since) remember(key, found === 'right', untilMs);
      forget();
    }, forget);
    return { outcome, senders };
  };

  return {
    callerOf(authorization, sender = UNKNOWN_SENDER) {
      const login = loginOf(authorization);
      if (login === undefined) return requireLogin ? undefined : ANONYMOUS;
      const { user, password } = login;
      const decide = (isRight: boolean): Caller | undefined => {
        if (isRight) return { user };
        return requireLogin ? undefined : { user: undefined, refused: user };
      };
      const found = compare(user, password, sender);
      return typeof found === 'boolean' ? decide(found) : found.then(decide);
    },
    knows: (user) => users.has(user),
    holdOf(user) {
      const hash = users.get(user);
      return () => users.get(user) === hash;
    },
    reload() {
      try {
        users = read();
      } catch (cause) {
        const words = `${(cause as Error).message}; the previous users stay`;
        throw new Refusal('USERS_FILE_REFUSED', words, { path }, { cause });
      }
      unmatchedHash = hashWithoutPassword(users);
      for (const memory of [known, compared, rightBefore]) memory.clear();
      return users.size;
    },
    close: () => verifier.close(),
  };
}

function limit(memory: Map<string, unknown> | Set<string>): void {
  if (memory.size >= REMEMBERED) memory.delete(memory.keys().next().value as string);
}

/** A hash that no password has, with the usual cost of the users' hashes. */
function hashWithoutPassword(users: Users): string {
  const counts = new Map<string, number>();
  for (const hash of users.values()) {
    const cost = hash.slice(4, 6);
    if (costOfHash(hash) <= MOST_COST) counts.set(cost, (counts.get(cost) ?? 0) + 1);
  }
  const [cost] = [...counts].reduce((most, each) => (each[1] > most[1] ? each : most), ['10', 0]);
  return `$2b$${cost}$${'.'.repeat(53)}`;
}

/** The part of an address that one client cannot change: for IPv6 the first 64 bits. */
function networkOf(address: string): string {
  const text = address.replace(/^::ffff:(?=\d+\.)/, '');
  if (!text.includes(':')) return text;
  const [head = '', tail] = text.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length;
  return [...front, ...Array<string>(Math.max(0, zeros)).fill('0'), ...back].slice(0, 4).join(':');
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

/** The users of an htpasswd file with the bcrypt hashes of their passwords. */
type Users = ReadonlyMap<string, string>;

/** An error in an htpasswd file, with its line. */
class UsersFileError extends Error {}

/**
 * The users of a file.
 *
 * @throws {UsersFileError} for an invalid line, a hash that is not bcrypt's, a duplicate user, or a file without users.
 */
export function readUsers(text: string, path: string): Users {
  const { users, problems } = readUsersFile(text.split(/\r?\n/));
  const [problem] = problems;
  if (problem !== undefined) throw new UsersFileError(`${path}:${problem.line}: ${problem.words}`);
  if (users.size === 0) throw new UsersFileError(`${path}: it contains no user; add one with torc-htpasswd add`);
  return new Map([...users].map(([user, { hash }]) => [user, hash]));
}
