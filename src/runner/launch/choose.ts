import { textOf } from '../../cluster/host/group-files.ts';
import { bashOn } from '../../cluster/program-on.ts';
import { createChildLauncher } from './child.ts';
import { inheritedBytes } from './inherited-bytes.ts';
import { type ProcessEnd, LaunchError, type Launcher } from './launcher.ts';
import { createPosixLauncher } from './posix.ts';

export interface LaunchOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onEnd: (endings: readonly ProcessEnd[]) => void;
  /** Called with what jobs do not get as this process got it. */
  readonly onWarning?: ((words: string) => void) | undefined;
}

/**
 * The fastest launcher that works here: `posix_spawn` where a self-test passes, the runtime's own spawn elsewhere.
 *
 * `TORC_LAUNCHER=child_process` selects the second.
 */
export function createLauncher({ environment, onEnd, onWarning }: LaunchOptions): Launcher {
  const bash = findBash(environment['PATH'] ?? '');
  const options = { bash, environment, onEnd };
  const asked = environment['TORC_LAUNCHER'];
  const posix =
    asked === 'child_process'
      ? undefined
      : createPosixLauncher({ ...options, openFilesLimit: originalOpenFilesLimit() });
  if (posix !== undefined) return posix;
  const changed = [...inheritedBytes(environment).keys()];
  if (changed.length > 0)
    onWarning?.(
      `Values of the environment are not UTF-8, and jobs get other characters in their place: ${changed.join(', ')}`,
    );
  return createChildLauncher(options);
}

function findBash(path: string): string {
  const found = bashOn(path);
  if (found !== undefined) return found;
  throw new LaunchError('ENOENT', `jobs are run by bash, and there is none on PATH (${path})`);
}

/**
 * The soft limit of open files before the runtime raised it to the hard limit: that of the nearest ancestor with a
 * lower one. Jobs get this limit, because some programs loop over all possible descriptors.
 */
function originalOpenFilesLimit(): number | undefined {
  const own = openFilesLimit('self');
  if (own === undefined) return undefined;
  let pid: number | undefined = process.ppid;
  for (let generation = 0; pid !== undefined && pid > 0 && generation < GENERATIONS; generation += 1) {
    const limit = openFilesLimit(pid);
    if (limit !== undefined && limit < own) return limit;
    pid = parentOf(pid);
  }
  return undefined;
}

const GENERATIONS = 8;

function openFilesLimit(pid: number | 'self'): number | undefined {
  const match = /^Max open files\s+(\d+)/m.exec(textOf(`/proc/${pid}/limits`) ?? '');
  return match === null ? undefined : Number(match[1]);
}

function parentOf(pid: number): number | undefined {
  const match = /^PPid:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`) ?? '');
  return match === null ? undefined : Number(match[1]);
}
