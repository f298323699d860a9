/**
 * A file of users: `user:hash` on each line. Blank lines and those that begin with # belong to people and are kept.
 */
export interface Entries {
  readonly lines: readonly string[];
  /** Where each user stands, as an index of `lines`. */
  readonly users: ReadonlyMap<string, number>;
  /** What a server would refuse the file for. */
  readonly problems: readonly { readonly line: number; readonly words: string }[];
}

const BCRYPT = /^\$2[aby]\$\d\d\$[./0-9A-Za-z]{53}$/;

export function readEntries(text: string): Entries {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const users = new Map<string, number>();
  const problems: { line: number; words: string }[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const refuse = (words: string) => problems.push({ line: index + 1, words });
    const colon = line.indexOf(':');
    if (colon < 1) {
      refuse('expected "user:hash"');
      continue;
    }
    const user = line.slice(0, colon).trim();
    if (users.has(user)) refuse(`user '${user}' stands in the file twice`);
    else users.set(user, index);
    if (!BCRYPT.test(line.slice(colon + 1).trim()))
      refuse(`the hash of '${user}' is not one of bcrypt ($2a$, $2b$ or $2y$); torc-htpasswd hash makes one`);
  }
  return { lines, users, problems };
}

/** The hash of a user; undefined for one who is not in the file. */
export function hashOf({ lines, users }: Entries, user: string): string | undefined {
  const line = lines[users.get(user) ?? -1];
  return line?.slice(line.indexOf(':') + 1).trim();
}

/** The text with this hash for the user: in the place of an older one, or on a line of its own at the end. */
export function withUser({ lines, users }: Entries, user: string, hash: string): string {
  const at = users.get(user);
  const entry = `${user}:${hash}`;
  return textOf(at === undefined ? [...lines, entry] : lines.with(at, entry));
}

/** The text without the user, also where it stands in it twice. */
export const withoutUser = ({ lines }: Entries, user: string): string =>
  textOf(lines.filter((line) => line.slice(0, Math.max(0, line.indexOf(':'))).trim() !== user));

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
