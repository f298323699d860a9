/** The version of the program, of all its parts. The one in package.json is held equal by a test. */
export const VERSION = '0.1.0';
