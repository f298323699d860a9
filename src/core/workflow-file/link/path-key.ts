/** What a machine that sees the files says about paths. */
export interface Disk {
  /** The absolute paths of the folder below which relative paths are: first the one without links, then other names of it. */
  readonly folders: readonly [string, ...string[]];
  /** Whether a path is a symbolic link, or may be one. */
  readonly isLink: (path: string) => boolean;
}

/** Two paths with the same key are the same file. */
export type PathKey = (path: string) => string;

/** Has an empty part, `.` or `..`, or ends with `/`. */
const UNPLAIN = /^$|^\.\.?(?:\/|$)|\/(?:\.?\.?)(?:\/|$)/;
/** `s3://bucket/a//b` is no path of a file system: its parts may mean something else. */
const ADDRESS = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//;

/**
 * Gives each path a key by which files are compared: `res/o`, `./res/o`, `res//o`, `res/o/`, `x/../res/o` and the absolute path
 * have one.
 *
 * `x/..` is left out only where neither `x` nor a part before it is a link: the system goes to the parent of what the link names.
 * Without a disk, `..` and absolute paths stay as they are. Different keys may still be one file, through links.
 */
export function pathKey(disk: Disk | undefined): PathKey {
  const roots = (disk?.folders ?? []).map((folder) => (folder.endsWith('/') ? folder : `${folder}/`));
  const inFolder = (path: string): string => {
    if (!path.startsWith('/')) return path;
    const root = roots.find((each) => path.startsWith(each) || `${path}/` === each);
    return root === undefined ? path : path.slice(root.length);
  };
  return (path) => {
    if (!UNPLAIN.test(path)) return inFolder(path);
    if (ADDRESS.test(path)) return path;
    const parts = path.split('/').filter((part) => part !== '' && part !== '.');
    const clean = inFolder(path.startsWith('/') ? `/${parts.join('/')}` : parts.join('/'));
    if (disk === undefined || !parts.includes('..')) return clean;
    const whole = clean.startsWith('/') ? clean : `${roots[0]}${clean}`;
    return inFolder(folded(whole, disk.isLink));
  };
}

/** An absolute path without the `..` that lead back to where a part came from. */
function folded(path: string, isLink: Disk['isLink']): string {
  const parts: string[] = [];
  let isFixed = false;
  for (const part of path.split('/').filter((each) => each !== '')) {
    isFixed ||= part === '..' && parts.some((_, last) => isLink(`/${parts.slice(0, last + 1).join('/')}`));
    if (part !== '..' || isFixed) parts.push(part);
    // The root is its own parent.
    else parts.pop();
  }
  return `/${parts.join('/')}`;
}
