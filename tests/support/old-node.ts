import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** A Node on PATH that is too old for the programs. */
export async function oldNode(): Promise<{ path: string; version: string } | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'node');
    if (!existsSync(path)) continue;
    const version = (await promisify(execFile)(path, ['--version'])).stdout.trim().replace('v', '');
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major < 24 || (major === 24 && minor < 15)) return { path, version };
  }
  return undefined;
}
