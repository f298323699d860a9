import { resolve } from 'node:path';

/** A path that SQLite takes for a path: it would read a text that begins with `file:` as a URL, and open another file than ours. */
export const databaseFile = (path: string): string => (path === ':memory:' ? path : resolve(path));
