/**
 * Files of torc are private to the user, files of jobs are what the user wants.
 *
 * A process has one umask, and what it starts inherits it. So the programs of torc take a strict one for their own files, and
 * go back to the user's for the moment in which they start something.
 */
let usersMask: number | undefined;
let ownMask = 0;

/** From here on files and folders of this process do not get the permissions in `octal`. */
export function restrictFiles(octal: string): void {
  const mask = Number.parseInt(octal, 8);
  const before = process.umask(mask);
  usersMask ??= before;
  ownMask = mask;
}

/** Does `start` under the umask of the user: for starting programs, which happens before it returns. */
export function asUser<T>(start: () => T): T {
  if (usersMask === undefined) return start();
  process.umask(usersMask);
  try {
    return start();
  } finally {
    process.umask(ownMask);
  }
}

/** Permissions of a new file of torc that is made while a program starts, or off the main thread. */
export const modeOfFiles = (): number => (usersMask === undefined ? 0o666 : 0o666 & ~ownMask);
