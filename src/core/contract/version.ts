/** The version of all programs. A test compares it with the one in package.json. */
export const VERSION = '0.1.0';

/**
 * The version of the API, which is independent of the program version. Programs with different major versions cannot
 * communicate.
 */
export const API_VERSION = '0.23.0';

/** Set by the build. */
declare const TORC_GIT_HASH: string | undefined;

/**
 * The commit from which the program was built; `unknown` when it runs from sources or was built outside a repository.
 */
export const GIT_HASH = typeof TORC_GIT_HASH === 'string' ? TORC_GIT_HASH : 'unknown';
