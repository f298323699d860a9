import type { ArchivedFile, Files } from './archive.ts';
import { tarOf } from './archive.ts';
import { packed } from './system-files.ts';

interface Manifest {
  readonly version: string;
  readonly release: { readonly npm: NpmNames };
  readonly [field: string]: unknown;
}

/** Under which names npm has the two packages. */
export interface NpmNames {
  /** Uses a Node that is there. */
  readonly plain: string;
  /** Brings one for each platform. npm cannot choose by the Node that is installed, so these are two packages. */
  readonly withNode: string;
}

/** What only a clone needs. */
const OF_A_CLONE = ['private', 'scripts', 'devDependencies', 'overrides', 'release'];

/**
 * A package of npm: the files of a clone's package, with a manifest that can be published. Its `package.json` in the clone stays private,
 * so that nothing else is published.
 */
export function npmPackageOf(files: Files, kind: keyof NpmNames, atSeconds: number) {
  const manifest = JSON.parse(Buffer.from(files.get('package.json')?.content ?? []).toString('utf8')) as Manifest;
  const name = manifest.release.npm[kind];
  const { optionalDependencies, engines, ...kept } = Object.fromEntries(
    Object.entries(manifest).filter(([field]) => !OF_A_CLONE.includes(field)),
  );
  const own = {
    ...kept,
    name,
    ...(kind === 'plain' ? { engines: { node: '>=24.15' } } : { engines, optionalDependencies }),
    publishConfig: { access: 'public', provenance: true },
  };
  const placed = new Map<string, ArchivedFile>([...files].filter(([path]) => !path.startsWith('share/')));
  placed.set('package.json', { content: Buffer.from(`${JSON.stringify(own, null, 2)}\n`) });
  return {
    name: `${name}-${manifest.version}.tgz`,
    content: packed(tarOf(placed, 'package', atSeconds)).content,
  };
}
