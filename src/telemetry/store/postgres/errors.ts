/** A store in PostgreSQL that cannot be used: a wrong address or login, no store there, or one of a newer torc. */
export class PostgresUnusable extends Error {}

/** PostgreSQL does not answer now. What was not acknowledged is sent again. */
export class StoreAway extends PostgresUnusable {}

/** The code of an error of PostgreSQL (SQLSTATE) or of the system; empty for any other. */
export function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
