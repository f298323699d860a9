/**
 * Prints the pages as a site: `npm run site [-- --out FOLDER]`, into a folder of the version beside those of other versions, with a list of
 * all. Static files that need no server, search included. A link that leads nowhere and each other warning is an error.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { VERSION } from '../src/core/contract/version.ts';
import { stagePages } from './site/stage.ts';

const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({ options: { out: { type: 'string', default: '.build/site' } } });
const out = resolve(values.out);

const own = join(root, '.build/sphinx/bin/sphinx-build');
const program = existsSync(own) ? own : 'sphinx-build';
const staged = mkdtempSync(join(tmpdir(), 'torc-site-'));
try {
  stagePages(root, staged);
  for (const name of ['conf.py', 'templates'])
    cpSync(join(import.meta.dirname, 'site', name), join(staged, name === 'templates' ? '_templates' : name), {
      recursive: true,
    });
  const printed = join(staged, 'printed');
  const { status, error } = spawnSync(program, ['-W', '--keep-going', '-q', '-b', 'html', staged, printed], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TORC_SITE_VERSION: VERSION },
  });
  if (error !== undefined)
    throw new Error(
      `${error.message}; install it: python3 -m venv .build/sphinx && .build/sphinx/bin/pip install -r scripts/site/requirements.txt`,
    );
  if (status !== 0) throw new Error(`${program} found the faults above; nothing was printed`);
  rmSync(join(printed, '_sources'), { recursive: true, force: true });
  const place = join(out, VERSION);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  cpSync(printed, place, { recursive: true });
  writeVersions();
  process.stdout.write(`${join(place, 'index.html')}\n`);
} finally {
  rmSync(staged, { recursive: true });
}

/** The page of all versions, newest first. */
function writeVersions(): void {
  const versions = readdirSync(out)
    .filter((name) => /^\d+\.\d+\.\d+$/.test(name))
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  const items = versions.map((name) => `<li><a href="${name}/index.html">Torc ${name}</a></li>`).join('\n');
  const head =
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">';
  writeFileSync(
    join(out, 'index.html'),
    `${head}<title>Torc</title></head><body><h1>Torc</h1><ul>\n${items}\n</ul></body></html>\n`,
  );
}
