/** What the system says of a file or a folder, in words. */
const words: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not allowed for this user',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'a file of this name is in the way',
  EISDIR: 'it is a folder, not a file',
  ENOTEMPTY: 'the folder is not empty',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your quota of the disk is used up',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'symbolic links lead in a circle',
  EIO: 'the disk reports an error',
  ESTALE: 'the file server has lost it',
  EMFILE: 'this process has too many files open',
  ENFILE: 'the machine has too many files open',
};

const verbs: Readonly<Record<string, string>> = {
  mkdir: 'make the folder',
  open: 'open',
  read: 'read',
  stat: 'read',
  write: 'write',
  scandir: 'list',
  rename: 'rename',
  unlink: 'delete',
  rmdir: 'delete the folder',
  copyfile: 'copy',
  ftruncate: 'cut',
  fsync: 'write',
};

/** The words of an error code of the system. */
export const fileErrorWords = (code: string | undefined): string | undefined => words[code ?? ''];

/** Why a file or a folder could not be used; undefined for errors of any other kind. */
export function fileErrorText(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  // Those above are there or were made: the file system itself has no new folders, as /proc.
  const why = syscall === 'mkdir' && code === 'ENOENT' ? 'no folder can be made there' : fileErrorWords(code);
  const verb = verbs[syscall ?? ''];
  if (why === undefined || verb === undefined) return undefined;
  return `cannot ${verb}${path === undefined ? '' : ` ${path}`}: ${why} (${code})`;
}
