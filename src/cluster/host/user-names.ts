import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { runToEnd } from '../exec.ts';

/** Names of users by their numbers, for repeated questions. */
export interface UserNames {
  /** Asks for the users that are not known yet. Never rejects. */
  learn(userIds: Iterable<number>): Promise<void>;
  /** Undefined for a user without a name. */
  nameOf(userId: number): string | undefined;
}

interface Options {
  readonly passwd?: string;
  /** The program that asks the directory service of the site; `getent`, unless a test names another. */
  readonly program?: string;
  readonly now?: () => number;
}

/** A directory service that is slow must not hold up a sample. */
const AT_MOST_MS = 5_000;
/** A user without a name is asked for again after this. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/**
 * Finds names of users in /etc/passwd, and asks `getent` for the others: the accounts of a site are in its directory
 * service. A name stays known as long as this program runs.
 */
export function createUserNames({
  passwd = '/etc/passwd',
  program = 'getent',
  now = Date.now,
}: Options = {}): UserNames {
  const names = new Map<number, string>();
  const nameless = new Map<number, number>();
  let isRead = false;

  const readFile = () => {
    isRead = true;
    try {
      const { uid, username } = userInfo();
      names.set(uid, username);
    } catch {
      // A user without a name.
    }
    try {
      for (const [id, name] of parsePasswd(readFileSync(passwd, 'utf8'))) names.set(id, name);
    } catch {
      // getent may know them.
    }
  };

  return {
    async learn(userIds) {
      if (!isRead) readFile();
      const atMs = now();
      const unknown = [...new Set(userIds)].filter(
        (id) => !names.has(id) && atMs - (nameless.get(id) ?? -Infinity) >= FORGOTTEN_AFTER_MS,
      );
      if (unknown.length === 0) return;
      // It ends with 2 if one of them has no name, and prints the others.
      const reported = await runToEnd(program, ['passwd', ...unknown.map(String)], { atMostMs: AT_MOST_MS }).then(
        ({ stdout }) => parsePasswd(stdout),
        () => [],
      );
      for (const [id, name] of reported) names.set(id, name);
      for (const id of unknown) if (!names.has(id)) nameless.set(id, atMs);
    },
    nameOf: (userId) => names.get(userId),
  };
}

/** `name:x:1000:…`; the first name of a number counts, as for getpwuid(3). */
function parsePasswd(text: string): [number, string][] {
  const names = new Map<number, string>();
  for (const line of text.split('\n')) {
    const [name, , id = ''] = line.split(':');
    if (!name || !/^\d+$/.test(id) || names.has(Number(id))) continue;
    names.set(Number(id), name);
  }
  return [...names];
}
