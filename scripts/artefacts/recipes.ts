import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'recipes');

interface Facts {
  readonly version: string;
  /** Where the archives are; a name that nothing has where that is not decided. */
  readonly address: string;
  /** Lines of SHA256SUMS. */
  readonly lines: readonly string[];
}

/**
 * Recipes by which others make packages of a release: an image (Containerfile), Apptainer, conda and Spack. They name the version and the sums of
 * the archives; that of a platform which was not made is empty.
 */
export function recipesOf({ version, address, lines }: Facts): ReadonlyMap<string, string> {
  const sumOf = (platform: string) =>
    lines.find((line) => line.trimEnd().endsWith(`  torc-${version}-${platform}.tar.gz`))?.slice(0, 64) ?? '';
  const facts: Readonly<Record<string, string>> = {
    VERSION: version,
    ADDRESS: address === '' ? 'https://torc.invalid' : address,
    SUM_LINUX_X64: sumOf('linux-x64'),
    SUM_LINUX_ARM64: sumOf('linux-arm64'),
    SUM_DARWIN_ARM64: sumOf('darwin-arm64'),
  };
  const filled = (text: string) => text.replaceAll(/@([A-Z0-9_]+)@/g, (_, name: string) => facts[name] as string);
  return new Map(readdirSync(FOLDER).map((name) => [name, filled(readFileSync(join(FOLDER, name), 'utf8'))]));
}

/**
 * What a Containerfile does, as a script for a root in which the release is at `/release`, and what its image runs. For machines on which no
 * image can be made.
 */
export function imageSteps(text: string) {
  const lines = text.split('\n');
  const after = (word: string) =>
    lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
  const steps = lines.flatMap((line) => {
    if (line.startsWith('RUN ')) return [line.slice(4)];
    const [, from, to] = /^COPY --from=\S+ (\S+) (\S+)$/.exec(line) ?? [];
    return from === undefined ? [] : [`cp -a ${from}/. ${to}`];
  });
  const [entry = '[]'] = after('ENTRYPOINT');
  const [health = ''] = after('HEALTHCHECK CMD');
  return {
    script: ['set -e', ...steps].join('\n'),
    user: after('USER')[0] ?? 'root',
    entry: JSON.parse(entry) as string[],
    health,
  };
}
