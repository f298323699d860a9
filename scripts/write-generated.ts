import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const check = process.argv.includes('--check');

/** Writes a generated file; with --check says instead that the one on disk is stale, and fails. */
export function write(path: string, content: string | Uint8Array): void {
  if (check) {
    if (existsSync(path) && readFileSync(path).equals(Buffer.from(content as Uint8Array))) return;
    console.error(`${path} is stale: npm run gen`);
    process.exitCode = 1;
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
