import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { pack } from '../packed.ts';
import { temporaryFolder } from '../programs.ts';

/** The folders of PATH of a person who installed the packed tarball with this Node, and has no other. */
export async function installPacked(node: string, options: readonly string[]): Promise<string[]> {
  const { tarball } = pack();
  const folder = temporaryFolder();
  const own = join(folder, 'node');
  mkdirSync(own);
  symlinkSync(node, join(own, 'node'));
  const system = (process.env['PATH'] ?? '').split(':').filter((each) => !each.includes('node_modules'));
  const path = [own, ...system];
  const command = ['install', '--global', '--prefix', folder, '--no-audit', '--no-fund', ...options, tarball];
  await promisify(execFile)('npm', command, { cwd: dirname(tarball), env: { ...process.env, PATH: path.join(':') } });
  return [join(folder, 'bin'), ...path];
}
