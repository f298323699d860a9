/** The difference of two versions: the first of their three numbers that differs. */
export type Severity = 'none' | 'patch' | 'minor' | 'major';

interface Versions {
  readonly version: string;
  readonly api_version?: string | null | undefined;
}

/**
 * The message of a client about the server's version, in the wording of Torc 1.0.0.
 *
 * API versions are compared; program versions are compared only if the server sends no API version, and they never stop
 * a program. A version that cannot be parsed counts as equal.
 */
export function compareVersions(ours: Versions, server: Versions): { severity: Severity; message: string } {
  const hasApi = typeof server.api_version === 'string' && typeof ours.api_version === 'string';
  const [client, other] = hasApi
    ? [ours.api_version as string, server.api_version as string]
    : [ours.version, server.version];
  const what = hasApi ? 'API version' : 'Version';
  const [a, b] = [numbersOf(client), numbersOf(other)];
  const place = a === undefined || b === undefined ? -1 : a.findIndex((number, index) => number !== b[index]);
  if (a === undefined || b === undefined || place === -1)
    return { severity: 'none', message: `${what} ${client} matches server (server ${server.version})` };

  const apart = `client ${client}, server ${other} (server ${server.version})`;
  const newer =
    (a[place] as number) > (b[place] as number) ? 'client is newer than server' : 'server is newer than client';
  switch (place) {
    case 0:
      return hasApi
        ? { severity: 'major', message: `API version incompatible: ${newer}: ${apart}` }
        : { severity: 'minor', message: `Versions differ: ${newer}: ${apart}` };
    case 1:
      return { severity: 'minor', message: `${what} mismatch: ${newer}, should be compatible: ${apart}` };
    default:
      return { severity: 'patch', message: `${what} mismatch: patch difference, should be compatible: ${apart}` };
  }
}

/** `0.8.0`, `v1.2.3`, `1.2.3-beta`, `0.8.0 (abc-dirty)`. */
function numbersOf(text: string): readonly [number, number, number] | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?![\d.])/.exec(text.trim());
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}
