/** The version of the program, of all its parts. The one in package.json is held equal by a test. */
export const VERSION = '0.1.0';

/** The version of the contract, which is not that of the program. Another first number means: cannot talk to each other. */
export const API_VERSION = '0.23.0';
