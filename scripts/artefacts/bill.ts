import { execFileSync } from 'node:child_process';

/** A library or runtime that is part of an artefact. */
export interface Part {
  readonly name: string;
  readonly version: string;
}

interface Bill {
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly group?: string;
    readonly 'bom-ref': string;
  }[];
  readonly metadata: { readonly component: object; readonly [key: string]: unknown };
  readonly dependencies?: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
  readonly [key: string]: unknown;
}

/**
 * The bill of materials of an artefact in the format of CycloneDX: what npm writes of the lock, without what is only needed to build.
 *
 * Throws where a part is not in the lock. `at` stands in the place of the moment, so that two builds are the same.
 */
export function billOf(parts: readonly Part[], at: string): string {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { serialNumber: _, ...bill } = JSON.parse(
    execFileSync('npm', words, { encoding: 'utf8', maxBuffer: 2 ** 26 }),
  ) as Bill;
  const nameOf = ({ group, name }: { group?: string; name: string }) =>
    group === undefined ? name : `${group}/${name}`;
  const isPart = (component: Bill['components'][number]) =>
    parts.some(({ name, version }) => nameOf(component) === name && component.version === version);
  const components = bill.components.filter(isPart);
  const missing = parts.filter(({ name }) => components.every((component) => nameOf(component) !== name));
  if (missing.length > 0)
    throw new Error(`not in the lock: ${missing.map(({ name, version }) => `${name} ${version}`).join(', ')}`);
  const kept = new Set(components.map((component) => component['bom-ref']));
  const dependencies = bill.dependencies
    ?.filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
  // npm names it after the folder of the clone.
  const component = { ...bill.metadata.component, name: 'torc' };
  const metadata = { ...bill.metadata, timestamp: at, component };
  return `${JSON.stringify({ ...bill, metadata, components, dependencies }, null, 1)}\n`;
}

/** The libraries whose licences `scripts/build.ts` has put into one text: each begins with a line `NAME VERSION`. */
export const bundledIn = (licences: string): Part[] =>
  licences.split(/^-{80}$/m).flatMap((part) => {
    const [, name = '', version = ''] = /^(@?[\w./-]+) (\d\S*)$/m.exec(part) ?? [];
    return name === '' ? [] : [{ name, version }];
  });
