import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { constants, gzip, zstdCompress } from 'node:zlib';
import type { Encoding } from '../compress.ts';

export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same, compressed as far as possible. */
  readonly encoded: Readonly<Record<Encoding, Uint8Array<ArrayBuffer>>>;
}

/** The files of the page by name. Throws where they are missing: a package without them, or sources without tools. */
export type LoadPage = () => Promise<ReadonlyMap<string, PageFile>>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=UTF-8',
  '.js': 'text/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
};

const [zip, zstd] = [promisify(gzip), promisify(zstdCompress)];
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 19 } };

/** Loads the page once, with the first request: from the package, or made from the sources beside these. */
export function createLoadPage(): LoadPage {
  let loaded: ReturnType<LoadPage> | undefined;
  return () => {
    loaded ??= load();
    // A package that is being replaced has them again a moment later.
    loaded.catch(() => (loaded = undefined));
    return loaded;
  };
}

async function load(): Promise<ReadonlyMap<string, PageFile>> {
  const files = await (extname(import.meta.url) === '.ts' ? fromSources() : fromPackage());
  const entries = [...files].map(async ([name, content]) => {
    const bytes = new Uint8Array(content);
    const encoded = {
      gzip: new Uint8Array(await zip(bytes, { level: 9 })),
      zstd: new Uint8Array(await zstd(bytes, ZSTD)),
    };
    return [name, { type: TYPES[extname(name)] ?? 'application/octet-stream', bytes, encoded }] as const;
  });
  return new Map(await Promise.all(entries));
}

/** The tools that make it are not part of the package, so their place is a value and not an import. */
async function fromSources(): Promise<ReadonlyMap<string, Uint8Array>> {
  const tools = new URL('../../../../scripts/build-page.ts', import.meta.url).href;
  const { buildPage } = (await import(tools)) as {
    buildPage: () => Promise<{ files: ReadonlyMap<string, Uint8Array> }>;
  };
  return (await buildPage()).files;
}

async function fromPackage(): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = new URL('../page/', import.meta.url);
  const names = await readdir(folder);
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, folder))] as const)));
}
