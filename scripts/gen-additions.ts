/** Which packages `torc add` installs, with the hash of each, as the lock has them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADDITIONS } from '../src/cluster/additions/additions.ts';
import { write } from './write-generated.ts';

interface Locked {
  readonly version: string;
  readonly integrity: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Readonly<Record<string, Locked>>;
};

/** Where Node finds a package from another one, as npm has placed them; undefined for one of another platform that is not locked. */
function placeOf(name: string, from: string): string | undefined {
  const own = join(from, 'node_modules', name);
  if (packages[own] !== undefined) return own;
  return from === '' ? undefined : placeOf(name, from.slice(0, Math.max(0, from.lastIndexOf('node_modules') - 1)));
}

function closureOf(path: string, found: Set<string>): void {
  if (found.has(path)) return;
  found.add(path);
  const { dependencies, optionalDependencies } = packages[path] ?? {};
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const place = placeOf(name, path);
    if (place !== undefined) closureOf(place, found);
  }
}

const isOfTorc = ({ os, cpu, libc }: Locked): boolean =>
  (os === undefined || os.some((each) => ['linux', 'darwin'].includes(each))) &&
  (cpu === undefined || cpu.some((each) => ['x64', 'arm64'].includes(each))) &&
  libc?.includes('musl') !== true;

const rows = Object.entries(ADDITIONS).map(([addition, libraries]) => {
  const found = new Set<string>();
  for (const library of libraries) closureOf(join('node_modules', library), found);
  const list = [...found].sort().flatMap((path) => {
    const locked = packages[path] as Locked;
    if (!isOfTorc(locked)) return [];
    const { version, integrity, os, cpu } = locked;
    return [{ path, version, integrity, ...(os === undefined ? {} : { os }), ...(cpu === undefined ? {} : { cpu }) }];
  });
  return `  ${addition}: ${JSON.stringify(list)},`;
});

write(
  'src/cluster/additions/packages.gen.ts',
  `// Made by scripts/gen-additions.ts from package-lock.json.\nimport type { Addition, LockedPackage } from './additions.ts';\n\n` +
    `export const packages: Readonly<Record<Addition, readonly LockedPackage[]>> = {\n${rows.join('\n')}\n};\n`,
);
