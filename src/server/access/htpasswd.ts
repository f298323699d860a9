/** The users of an htpasswd file with the bcrypt hashes of their passwords. */
export type Users = ReadonlyMap<string, string>;

/** What is wrong with an htpasswd file, with the line. */
export class UsersFileError extends Error {}

const BCRYPT = /^\$2[aby]\$\d\d\$[./0-9A-Za-z]{53}$/;

/**
 * Reads `user:hash` lines; empty ones and those that begin with # are passed over.
 *
 * @throws {UsersFileError} for a line that is not one, a hash that is not bcrypt's, a user that stands twice, or no user.
 */
export function readUsers(text: string, path: string): Users {
  const users = new Map<string, string>();
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const refuse = (words: string): never => {
      throw new UsersFileError(`${path}:${index + 1}: ${words}`);
    };
    const colon = line.indexOf(':');
    if (colon < 1) refuse('expected "user:hash"');
    const [user, hash] = [line.slice(0, colon), line.slice(colon + 1)];
    if (!BCRYPT.test(hash))
      refuse(`the hash of '${user}' is not one of bcrypt ($2a$, $2b$ or $2y$); torc-htpasswd hash makes one`);
    if (users.has(user)) refuse(`user '${user}' stands in the file twice`);
    users.set(user, hash);
  }
  if (users.size === 0) throw new UsersFileError(`${path}: no user in it; torc-htpasswd add makes one`);
  return users;
}
