import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A software package of the node. */
export interface SoftwareVersion {
  readonly key: string;
  readonly name: string;
  readonly version: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The GPU software of this node, from the files that its packages bring. */
export const softwareHere = (environment: Environment): SoftwareVersion[] => [
  ...cudaIn(environment['CUDA_ROOT'] || '/usr/local/cuda'),
  ...rocmIn(environment['ROCm_ROOT'] || environment['ROCM_PATH'] || '/opt/rocm'),
];

/** `version.json`: `{"cuda": {"name": "CUDA SDK", "version": "12.4.1"}}`. */
function cudaIn(root: string): SoftwareVersion[] {
  try {
    const packages = JSON.parse(readFileSync(join(root, 'version.json'), 'utf8')) as Record<string, unknown>;
    return Object.entries(packages).flatMap(([key, value]) => {
      const { name = '', version } = (value ?? {}) as { name?: unknown; version?: unknown };
      return typeof version === 'string' && version !== '' && key !== ''
        ? [{ key, name: typeof name === 'string' ? name : '', version }]
        : [];
    });
  } catch {
    return [];
  }
}

/** `.info/version-hip` or `.info/.version-hip`: the name has the package, the file its version. */
function rocmIn(root: string): SoftwareVersion[] {
  const folder = join(root, '.info');
  try {
    return readdirSync(folder)
      .sort()
      .flatMap((file) => {
        const match = /^\.?version(?:-(.+))?$/.exec(file);
        if (match === null) return [];
        const version = readFileSync(join(folder, file), 'utf8').trim();
        return version === '' ? [] : [{ key: match[1] ?? 'rocm', name: '', version }];
      });
  } catch {
    return [];
  }
}
