/**
 * Compiles the programs in `dist/cli` for this V8, and writes the code beside them (docs/adr/0024): `bin/compiled.mjs` reads it.
 *
 * V8 compiles a function when it is called first. So programs run here, and what they have compiled when they end is kept.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { codeName, LENGTHS, wrapped } from '../bin/compiled.mjs';
import { runUsualPrograms } from './usual-programs.ts';

export async function compileAhead(root: string): Promise<void> {
  const programs = resolve(root, 'dist/cli');
  const chunks = readdirSync(programs).filter((name) => name.endsWith('.cjs'));
  const compiled = new Map<string, Buffer>(chunks.map((name) => [name, codeOf(join(programs, name))]));
  const write = () => writeFileSync(join(programs, codeName()), fileOf(compiled));
  write();
  for (const [name, code] of await keptOf(root)) compiled.set(name, code);
  write();
}

const codeOf = (path: string) => new Script(wrapped(readFileSync(path, 'utf8'))).createCachedData();

function fileOf(compiled: ReadonlyMap<string, Buffer>): Buffer {
  const places: Record<string, readonly [number, number]> = {};
  let position = 0;
  for (const [name, { length }] of compiled) {
    places[name] = [position, length];
    position += length;
  }
  const head = Buffer.from(JSON.stringify(places));
  const lengths = Buffer.alloc(LENGTHS);
  lengths.writeUInt32LE(LENGTHS + head.length + position, 0);
  lengths.writeUInt32LE(head.length, 4);
  return Buffer.concat([lengths, head, ...compiled.values()]);
}

/** The code of the chunks that a run of the usual programs has loaded: of each the most that one of them had compiled. */
async function keptOf(root: string): Promise<Map<string, Buffer>> {
  // Outside of the checkout, where programs run from their sources.
  const folder = mkdtempSync(join(tmpdir(), 'torc-compile-'));
  const kept = join(folder, 'kept');
  mkdirSync(kept);
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(resolve(root, name), join(folder, name), { recursive: true });
  await runUsualPrograms(folder, {
    PATH: process.env['PATH'],
    HOME: folder,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'keep-code.ts')}`,
    KEEP_CODE: kept,
  });
  const most = new Map<string, string>();
  const sizeOf = (file: string | undefined) => (file === undefined ? 0 : statSync(join(kept, file)).size);
  for (const file of readdirSync(kept)) {
    const name = file.slice(0, file.lastIndexOf('.'));
    if (sizeOf(file) > sizeOf(most.get(name))) most.set(name, file);
  }
  const codes = new Map([...most].map(([name, file]) => [name, readFileSync(join(kept, file))]));
  rmSync(folder, { recursive: true });
  return codes;
}
