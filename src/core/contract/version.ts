/** The version of the program, of all its parts. The one in package.json is held equal by a test. */
export const VERSION = '0.1.0';

/** The version of the contract, which is not that of the program. Another first number means: cannot talk to each other. */
export const API_VERSION = '0.23.0';

/** Put in by the build. */
declare const TORC_GIT_HASH: string | undefined;

/** The commit from which the program was built; `unknown` where it runs from sources or was built outside of a repository. */
export const GIT_HASH = typeof TORC_GIT_HASH === 'string' ? TORC_GIT_HASH : 'unknown';
