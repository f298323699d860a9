import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly zipped: Uint8Array<ArrayBuffer>;
}

/** The files of the page by name. Throws where they are missing: a package without them, or sources without tools. */
export type LoadPage = () => Promise<ReadonlyMap<string, PageFile>>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=UTF-8',
  '.js': 'text/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
};

const zip = promisify(gzip);

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
    const zipped = new Uint8Array(await zip(bytes));
    return [name, { type: TYPES[extname(name)] ?? 'application/octet-stream', bytes, zipped }] as const;
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
