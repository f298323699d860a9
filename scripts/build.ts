/**
 * Bundles the programs into dist/: a home directory on a parallel file system is slow at many small files, and a start
 * from sources reads hundreds. Libraries are bundled too, so that a package installs without any and without a network: in
 * package.json they are development dependencies. Their licences travel along in one file.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type InputOptions, type OutputAsset, type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { buildPage } from './build-page.ts';
import { encodedForms } from '../src/server/http/page/load.ts';
import { compileAhead } from './compile-ahead.ts';

rmSync('dist', { recursive: true, force: true });

/**
 * The word lists of the estimator of passwords as one text each, split at its lines. They come compressed, for browsers;
 * unpacking them takes a quarter of the time of a `torc-htpasswd add`.
 */
const plainWordLists: Plugin = {
  name: 'plain-word-lists',
  async load(id) {
    if (!/language-common[\\/]dist[\\/](?:passwords|diceware)\.json\.mjs$/.test(id)) return null;
    const { default: words } = (await import(id)) as { default: readonly string[] };
    if (words.some((word) => word.includes('\n'))) throw new Error(`${id}: a word has a line break`);
    return `export default ${JSON.stringify(words.join('\n'))}.split('\\n');`;
  },
};

const shared: InputOptions = {
  platform: 'node',
  // Installed beside torc by those who need them.
  external: ['@duckdb/node-api', '@platformatic/kafka', 'nodemailer', 'pg', 'snappy'],
  plugins: [plainWordLists],
  logLevel: 'warn',
  treeshake: true,
  transform: { define: { TORC_GIT_HASH: JSON.stringify(gitHash()) } },
};

/** CommonJS, which `bin/compiled.mjs` loads with code that is compiled here. */
const programs = await rolldown({
  ...shared,
  input: {
    main: 'src/cli/program/main.ts',
    // What the server starts beside itself stands under its own name.
    'verify-worker': 'src/server/access/verify-worker.ts',
    'checkpoint-worker': 'src/server/store/checkpoint-worker.ts',
    'sql-process': 'src/server/admin/sql-process.ts',
    'read-worker': 'src/server/http/read-worker.ts',
    'samples-worker': 'src/server/view/samples-worker.ts',
    'agents-worker': 'src/cli/program/agents-worker.ts',
    'telemetry-worker': 'src/telemetry/serve/telemetry-worker.ts',
  },
});
const { output } = await programs.write({
  dir: 'dist/cli',
  format: 'cjs',
  strict: true,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  minify: true,
});
await programs.close();

const library = await rolldown({ ...shared, input: { torc: 'src/library/index.ts' } });
const { output: ofLibrary } = await library.write({
  dir: 'dist/library',
  format: 'esm',
  chunkFileNames: '[name]-[hash].js',
  minify: true,
});
await library.close();
copyFileSync('api/torc.d.ts', 'dist/library/torc.d.ts');

const page = await buildPage();
mkdirSync('dist/page');
for (const [name, content] of page.files) {
  const { bytes, ...encoded } = await encodedForms(content);
  writeFileSync(join('dist/page', name), bytes);
  for (const [form, compressed] of Object.entries(encoded))
    writeFileSync(join('dist/page', `${name}.${form}`), compressed);
}

const modules = modulesIn([...output, ...ofLibrary]);
const notices = licensed(librariesIn([...modules, ...page.modules])).map(
  ({ name, version, text }) => `${name} ${version}\n\n${text.trim()}\n`,
);
writeFileSync(
  'dist/THIRD_PARTY_LICENSES.txt',
  `Libraries that are part of this program, and their licences.\n\n${notices.join(`\n${'-'.repeat(80)}\n\n`)}`,
);

// What V8 compiles depends on the machine: without it two builds are the same (scripts/artefacts.ts).
if (!process.argv.includes('--portable')) await compileAhead('.');

/** The commit that is checked out; sources may also come without their repository, or on a machine without git. */
function gitHash(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return 'unknown';
  }
}

interface Licensed {
  readonly name: string;
  readonly version: string;
  readonly text: string;
}

function modulesIn(chunks: readonly (OutputChunk | OutputAsset)[]): string[] {
  return chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

/** The folders of the libraries of which a part is in a bundle. */
function librariesIn(modules: readonly string[]): string[] {
  const folders = modules.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? []);
  return [...new Set(folders)];
}

/** Name, version and licence of each library. */
function licensed(folders: readonly string[]): Licensed[] {
  return folders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        name: string;
        version: string;
        license?: string;
      };
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text =
        file === undefined ? `Licence: ${license ?? 'not stated'}` : readFileSync(join(folder, file), 'utf8');
      return { name, version, text };
    })
    .sort((left, right) => left.name.localeCompare(right.name));
}
