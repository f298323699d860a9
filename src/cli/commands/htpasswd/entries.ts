import { readUsersFile, type UsersFile } from '../../../core/text/users-file.ts';

/** The lines of a file of users, to be changed one by one. */
export interface Entries extends UsersFile {
  readonly lines: readonly string[];
}

export function readEntries(text: string): Entries {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return { lines, ...readUsersFile(lines) };
}

/** The hash of a user; undefined for an unknown one. */
export const hashOf = ({ users }: Entries, user: string): string | undefined => users.get(user)?.hash;

/** The text with this hash for the user: replacing an older one, or on a new line at the end. */
export function withUser({ lines, users }: Entries, user: string, hash: string): string {
  const at = users.get(user)?.line;
  const entry = `${user}:${hash}`;
  return textOf(at === undefined ? [...lines, entry] : lines.with(at - 1, entry));
}

/** The text without the user, also if it appears twice. */
export const withoutUser = ({ lines }: Entries, user: string): string =>
  textOf(lines.filter((line) => line.slice(0, Math.max(0, line.indexOf(':'))).trim() !== user));

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
