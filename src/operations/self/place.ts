import { createReadStream, existsSync } from 'node:fs';
import * as http from 'node:http';
import { join, resolve } from 'node:path';
import { Refusal } from '../../core/contract/refusals.ts';

/** A folder or URL with the files of a release. */
export interface Place {
  readonly name: string;
  /** The content of a file; undefined if it is not there. Throws: `RELEASE_REFUSED`. */
  open(file: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** The place of a release inside of this one. */
  inside(folder: string): Place;
}

/** `token` goes to the URL alone, as a proxy or a private repository wants it, and never over a line that others can read. */
export function placeAt(from: string, token?: string): Place {
  return /^https?:\/\//.test(from) ? urlPlace(from.replace(/\/+$/, ''), token) : folderPlace(resolve(from));
}

const folderPlace = (name: string): Place => ({
  name,
  open: async (file) => (existsSync(join(name, file)) ? createReadStream(join(name, file)) : undefined),
  inside: (folder) => folderPlace(join(name, folder)),
});

function urlPlace(name: string, token: string | undefined): Place {
  const { protocol, hostname } = new URL(name);
  const isPrivate = protocol === 'https:' || /^(?:localhost|127\.|\[::1\])/.test(hostname);
  if (token !== undefined && !isPrivate)
    throw new Refusal('RELEASE_REFUSED', `${name} is not https, and others could read the token of --token on the way`);
  return {
    name,
    async open(file) {
      // Compute nodes and login nodes reach the world through the proxy of their environment.
      http.setGlobalProxyFromEnv?.();
      const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const response = await fetch(`${name}/${file}`, { headers }).catch((cause: Error) => {
        const why = (cause.cause as Error | undefined)?.message ?? cause.message;
        throw new Refusal('RELEASE_REFUSED', `${name} cannot be reached: ${why}`, {}, { cause });
      });
      if (response.status === 404) return undefined;
      if (!response.ok || response.body === null)
        throw new Refusal(
          'RELEASE_REFUSED',
          `${name}/${file} was answered with ${response.status} ${response.statusText}`,
        );
      return response.body;
    },
    inside: (folder) => urlPlace(`${name}/${folder}`, token),
  };
}
