import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';

/** The line by which `isOfLiveProcess` knows the process that wrote a script. */
export const ownerLine = (): string => `submitted by process ${process.pid} on ${hostname()}`;

/** How long a script may be in the hands of a process on another host, which we cannot see. */
const OTHERS_MS = 15 * 60_000;

/** Whether the process that wrote a script still runs, as far as that is known without a lease. */
export function isOfLiveProcess(path: string): boolean {
  const match = /^# submitted by process (\d+) on (.+)$/m.exec(readFileSync(path, 'utf8'));
  if (match !== null && match[2] === hostname()) return isAlive(Number(match[1]));
  return statSync(path).mtimeMs + OTHERS_MS > timeOfFiles(dirname(path));
}

/** What a file that is written now is dated with: the clock of a file server may be another one than that of this machine. */
function timeOfFiles(folder: string): number {
  const probe = join(folder, `.torc_time_${process.pid}`);
  try {
    // A new file alone: another user of the folder may have put a link there.
    writeFileSync(probe, '', { flag: 'wx' });
  } catch {
    return Date.now();
  }
  const { mtimeMs } = statSync(probe);
  rmSync(probe, { force: true });
  return mtimeMs;
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
