import { readUsersFile } from '../../core/contract/users-file.ts';

/** The users of an htpasswd file with the bcrypt hashes of their passwords. */
export type Users = ReadonlyMap<string, string>;

/** What is wrong with an htpasswd file, with the line. */
export class UsersFileError extends Error {}

/**
 * The users of a file.
 *
 * @throws {UsersFileError} for a line that is not one, a hash that is not bcrypt's, a user that stands twice, or no user.
 */
export function readUsers(text: string, path: string): Users {
  const { users, problems } = readUsersFile(text.split(/\r?\n/));
  const [problem] = problems;
  if (problem !== undefined) throw new UsersFileError(`${path}:${problem.line}: ${problem.words}`);
  if (users.size === 0) throw new UsersFileError(`${path}: no user in it; torc-htpasswd add makes one`);
  return new Map([...users].map(([user, { hash }]) => [user, hash]));
}
