import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
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

/** As far as possible. */
const [GZIP_LEVEL, ZSTD_LEVEL] = [9, 19];

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
  if (extname(import.meta.url) !== '.ts') return fromPackage();
  const entries = [...(await fromSources())].map(
    async ([name, bytes]) => [name, fileOf(name, await encodedForms(bytes))] as const,
  );
  return new Map(await Promise.all(entries));
}

interface Forms {
  readonly bytes: Uint8Array;
  readonly gzip: Uint8Array;
  readonly zstd: Uint8Array;
}

/** A file as it is and compressed: half a second of CPU for the whole page, so the package has all three. */
export async function encodedForms(bytes: Uint8Array): Promise<Forms> {
  const { constants, gzip, zstdCompress } = await import('node:zlib');
  return {
    bytes,
    gzip: await promisify(gzip)(bytes, { level: GZIP_LEVEL }),
    zstd: await promisify(zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } }),
  };
}

const fileOf = (name: string, { bytes, ...encoded }: Forms): PageFile => ({
  type: TYPES[extname(name)] ?? 'application/octet-stream',
  bytes: new Uint8Array(bytes),
  encoded: { gzip: new Uint8Array(encoded.gzip), zstd: new Uint8Array(encoded.zstd) },
});

/** The tools that make it are not part of the package, so their place is a value and not an import. */
async function fromSources(): Promise<ReadonlyMap<string, Uint8Array>> {
  const tools = new URL('../../../../scripts/build-page.ts', import.meta.url).href;
  const { buildPage } = (await import(tools)) as {
    buildPage: () => Promise<{ files: ReadonlyMap<string, Uint8Array> }>;
  };
  return (await buildPage()).files;
}

/** Of each file the package has `NAME`, `NAME.gzip` and `NAME.zstd`. */
async function fromPackage(): Promise<ReadonlyMap<string, PageFile>> {
  const folder = new URL('../page/', import.meta.url);
  const read = (name: string) => readFile(new URL(name, folder));
  const names = (await readdir(folder)).filter((name) => extname(name) in TYPES);
  const entries = names.map(async (name) => {
    const [bytes, gzipped, compressed] = await Promise.all([read(name), read(`${name}.gzip`), read(`${name}.zstd`)]);
    return [name, fileOf(name, { bytes, gzip: gzipped, zstd: compressed })] as const;
  });
  return new Map(await Promise.all(entries));
}
