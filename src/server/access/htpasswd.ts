import { readUsersFile } from '../../core/text/users-file.ts';

/** The users of an htpasswd file with the bcrypt hashes of their passwords. */
export type Users = ReadonlyMap<string, string>;

/** An error in an htpasswd file, with its line. */
export class UsersFileError extends Error {}

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
