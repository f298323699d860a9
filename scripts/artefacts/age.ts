import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { lockedRuntime, PLATFORMS, RUNTIMES } from './runtimes.ts';

const YEAR_MS = 365 * 86_400_000;

/** By version when a package was published, as `npm view NAME time --json` prints it. */
type Times = Readonly<Record<string, string>>;

/** Why a locked runtime is too old for a release; undefined where it is not. */
export function whyTooOld(name: string, version: string, times: Times, nowMs: number): string | undefined {
  const [published, newest] = [times[version], times['modified']];
  if (published === undefined) return `${name} ${version} of the lock is not in the registry`;
  const ageDays = Math.floor((nowMs - Date.parse(published)) / 86_400_000);
  return nowMs - Date.parse(published) < YEAR_MS
    ? undefined
    : `${name} ${version} is ${ageDays} days old; the registry has newer ones (changed ${newest ?? 'at an unknown time'}): npm install --save-optional ${name}`;
}

/** Throws where the Node of a platform is older than a year. Returns what it found, as a sentence. */
export async function refuseOldRuntimes(nowMs: number): Promise<string> {
  const found = await Promise.all(
    PLATFORMS.map(async (platform) => {
      const name = RUNTIMES[platform];
      const { stdout } = await promisify(execFile)('npm', ['view', name, 'time', '--json'], {
        maxBuffer: 2 ** 24,
      }).catch(() => ({ stdout: '' }));
      return stdout === ''
        ? null
        : whyTooOld(name, lockedRuntime(platform).version, JSON.parse(stdout) as Times, nowMs);
    }),
  );
  const old = found.filter((why) => typeof why === 'string');
  if (old.length > 0) throw new Error(old.join('\n'));
  return found.includes(null)
    ? 'skipped: the age of the runtimes, because the registry was not reached'
    : 'no Node of the archives is a year old';
}
