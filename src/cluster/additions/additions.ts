/**
 * What torc can do only with libraries that it does not bring, each with those libraries: they are large, or have parts for each platform, and
 * few people need them.
 */
export const ADDITIONS = {
  postgres: ['pg'],
  kafka: ['@platformatic/kafka', 'snappy'],
  duckdb: ['@duckdb/node-api'],
  mail: ['nodemailer'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Addition = keyof typeof ADDITIONS;

/** A package of npm as the lock of torc has it. */
export interface LockedPackage {
  /** `node_modules/NAME`, or below that of another one. */
  readonly path: string;
  readonly version: string;
  /** `sha512-…` */
  readonly integrity: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

/** The name in a path of the lock. */
export const packageName = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
