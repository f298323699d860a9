/**
 * A file of users: `user:hash` on each line, as for htpasswd. Blank lines, lines that begin with #, and blanks around a
 * user or a hash are ignored.
 */
export interface UsersFile {
  readonly users: ReadonlyMap<string, { readonly hash: string; readonly line: number }>;
  /** Problems in the file by line number, counted from 1. With any of these, a server refuses the file. */
  readonly problems: readonly { readonly line: number; readonly words: string }[];
}

/**
 * The highest cost of a hash that a server compares: 3 s on a common CPU. One more doubles it, and all logins wait for one comparison;
 * with 24 that is 25 minutes.
 */
export const MOST_COST = 15;

/** The cost of a bcrypt hash: the power of two of its rounds. */
export const costOfHash = (hash: string): number => Number(hash.slice(4, 6));

const BCRYPT = /^\$2[aby]\$\d\d\$[./0-9A-Za-z]{53}$/;

export function readUsersFile(lines: readonly string[]): UsersFile {
  const users = new Map<string, { hash: string; line: number }>();
  const problems: { line: number; words: string }[] = [];
  for (const [index, text] of lines.entries()) {
    const line = index + 1;
    if (text.trim() === '' || text.trimStart().startsWith('#')) continue;
    const colon = text.indexOf(':');
    const user = text.slice(0, Math.max(0, colon)).trim();
    const hash = text.slice(colon + 1).trim();
    if (user === '') {
      problems.push({ line, words: 'expected "user:hash"' });
      continue;
    }
    if (users.has(user)) problems.push({ line, words: `user '${user}' appears twice in the file` });
    else users.set(user, { hash, line });
    if (!BCRYPT.test(hash)) {
      const words = `the hash of '${user}' is not a bcrypt hash ($2a$, $2b$ or $2y$); create one with torc-htpasswd hash`;
      problems.push({ line, words });
    }
  }
  return { users, problems };
}
