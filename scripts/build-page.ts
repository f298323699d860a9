/**
 * The page as files that a server sends: a document, scripts and a style sheet. The names of all but the document contain a hash of
 * their content, so a browser keeps them for ever.
 *
 * `scripts/build.ts` writes them into the package; a server that runs from its sources makes them at the first request
 * (src/server/http/page/load.ts).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const FOLDER = join(import.meta.dirname, '../src/page');

/** Compiles all functions of a script beside its download, in browsers that know the comment: most are called at once. */
const COMPILE_ALL = '//# allFunctionsCalledOnLoad';

/** The page checks shapes and prints no JSON Schema of them: 7 KB less when compressed. */
const withoutJsonSchema: Plugin = {
  name: 'without-json-schema',
  transform: {
    filter: { id: /zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/ },
    handler: (code) =>
      [...code.matchAll(/^export (?:const|function) (\w+)/gm)]
        .map(([, name]) => `export const ${name} = () => undefined;`)
        .join('\n'),
  },
};

export interface BuiltPage {
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The modules that are part of it, for their licences. */
  readonly modules: readonly string[];
}

export async function buildPage(): Promise<BuiltPage> {
  const bundle = await rolldown({
    input: join(FOLDER, 'main.tsx'),
    platform: 'browser',
    plugins: [withoutJsonSchema],
    logLevel: 'warn',
  });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    postBanner: ({ isEntry }) => (isEntry ? COMPILE_ALL : ''),
    entryFileNames: 'page-[hash].js',
    // Parts that a view loads when it is opened: they stand beside the first script.
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  const scripts = output.filter((each) => each.type === 'chunk');
  const first = scripts.find(({ isEntry }) => isEntry);
  if (first === undefined || scripts.length !== output.length) throw new Error('the page is made of scripts alone');
  const style = readFileSync(join(FOLDER, 'style.css'), 'utf8')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s*\n\s*/g, '\n');
  const names = { SCRIPT: first.fileName, STYLE: `style-${hashOf(style)}.css` };
  const document = readFileSync(join(FOLDER, 'index.html'), 'utf8')
    .replace('SCRIPT', names.SCRIPT)
    .replace('STYLE', names.STYLE);
  const encoder = new TextEncoder();
  return {
    files: new Map([
      ['index.html', encoder.encode(document)],
      ...scripts.map(({ fileName, code }) => [fileName, encoder.encode(code)] as const),
      [names.STYLE, encoder.encode(style)],
    ]),
    modules: scripts.flatMap(({ moduleIds }) => moduleIds),
  };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);
