/** An archive that SHA256SUMS lists. */
export interface Listed {
  readonly file: string;
  readonly version: string;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** The archives for a platform that can be unpacked without another program, the newest first. */
export function listedFor(sums: string, platform: string): readonly Listed[] {
  return sums
    .split('\n')
    .flatMap((line) => {
      const [, sha256 = '', file = ''] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? [];
      const [, version = '', of] = /^torc-(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)-(\w+-\w+)\.tar\.gz$/.exec(file) ?? [];
      return of === platform ? [{ file, version, sha256 }] : [];
    })
    .sort((one, other) => (isNewerVersion(one.version, other.version) ? -1 : 1));
}

/** `1.10.0` is newer than `1.9.0`, and `1.10.0` than `1.10.0-rc1`. */
export function isNewerVersion(version: string, than: string): boolean {
  const [own = '', ownTrial = ''] = version.split(/-(.*)/s);
  const [other = '', otherTrial = ''] = than.split(/-(.*)/s);
  const compare = (left: string, right: string) => left.localeCompare(right, 'en', { numeric: true });
  if (own !== other) return compare(own, other) > 0;
  if (ownTrial === '' || otherTrial === '') return ownTrial === '' && otherTrial !== '';
  return compare(ownTrial, otherTrial) > 0;
}

/** The archive that an update takes: this version, else the newest that is no trial (`1.0.0-rc1`). */
export const chosenOf = (listed: readonly Listed[], version: string | undefined): Listed | undefined =>
  listed.find((each) => (version === undefined ? !each.version.includes('-') : each.version === version));
