/**
 * Torc's files are private to the user; files of jobs follow the user's umask.
 *
 * A process has one umask, and the programs that it starts inherit it. So torc's programs set a strict umask for their
 * own files, and restore the user's while they start a program.
 */
let usersMask: number | undefined;
let ownMask = 0;

/** From now on, new files and folders of this process do not get the permissions in `octal`. */
export function restrictFiles(octal: string): void {
  const mask = Number.parseInt(octal, 8);
  const before = process.umask(mask);
  usersMask ??= before;
  ownMask = mask;
}

/** Calls `start` under the umask of the user: for starting programs, which happens before it returns. */
export function asUser<T>(start: () => T): T {
  if (usersMask === undefined) return start();
  process.umask(usersMask);
  try {
    return start();
  } finally {
    process.umask(ownMask);
  }
}

/** Whether the members of the group may write files of torc. */
export const groupMayWrite = (): boolean => usersMask !== undefined && (ownMask & 0o020) === 0;

/** Permissions of a new file of torc that is created while a program starts, or off the main thread. */
export const modeOfFiles = (): number => (usersMask === undefined ? 0o666 : 0o666 & ~ownMask);
