/**
 * The page as files that a server sends: a document, a script and a style sheet. The names of the last two contain a hash of
 * their content, so a browser keeps them for ever.
 *
 * `scripts/build.ts` writes them into the package; a server that runs from its sources makes them at the first request
 * (src/server/http/page/load.ts).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const FOLDER = join(import.meta.dirname, '../src/page');

export interface BuiltPage {
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The modules that are part of it, for their licences. */
  readonly modules: readonly string[];
}

export async function buildPage(): Promise<BuiltPage> {
  const bundle = await rolldown({
    input: join(FOLDER, 'main.tsx'),
    platform: 'browser',
    logLevel: 'warn',
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const [script, ...others] = output;
  if (others.length > 0) throw new Error('the page is one script: its budget is for the first view');
  const style = readFileSync(join(FOLDER, 'style.css'), 'utf8')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s*\n\s*/g, '\n');
  const names = { SCRIPT: `page-${hashOf(script.code)}.js`, STYLE: `style-${hashOf(style)}.css` };
  const document = readFileSync(join(FOLDER, 'index.html'), 'utf8')
    .replace('SCRIPT', names.SCRIPT)
    .replace('STYLE', names.STYLE);
  const encoder = new TextEncoder();
  return {
    files: new Map([
      ['index.html', encoder.encode(document)],
      [names.SCRIPT, encoder.encode(script.code)],
      [names.STYLE, encoder.encode(style)],
    ]),
    modules: script.moduleIds,
  };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);
