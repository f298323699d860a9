/**
 * Makes what people install without npm, from a clone after `npm ci`: `npm run artefacts -- --out FOLDER`.
 *
 * For each platform an archive with the runtime, as .tar.xz and .tar.gz; and for all of them install.sh, a bill of materials,
 * SHA256SUMS, and with `--key FILE` (a secret key of minisign without a password) its signature. The same commit makes the same
 * bytes: times are those of the commit, and what V8 compiles, which depends on the machine, is left out (docs/adr).
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { scripts } from '../src/cli/commands/completions/scripts.ts';
import { migrations } from '../src/server/store/migrations.gen.ts';
import { VERSION } from '../src/core/contract/version.ts';
import { type Files, FORMATS, sumLine, tarOf, writeArchive } from './artefacts/archive.ts';
import { billOf, bundledIn } from './artefacts/bill.ts';
import { installer, linker } from './artefacts/installer.ts';
import { manPages } from './artefacts/man-pages.ts';
import { filesOf, lockedRuntime, PLATFORMS, RUNTIMES, runtimeFiles, type Platform } from './artefacts/runtimes.ts';
import { signatureOf, signingKey } from './artefacts/sign.ts';

const root = resolve(import.meta.dirname, '..');
process.chdir(root);

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: '.build/artefacts' },
    platform: { type: 'string', multiple: true, default: [...PLATFORMS] },
    format: { type: 'string', multiple: true, default: [...FORMATS] },
    key: { type: 'string' },
  },
});

const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim();
const atSeconds = Number(git('log', '-1', '--format=%ct'));
const at = new Date(atSeconds * 1000).toISOString();
const key = values.key === undefined ? undefined : signingKey(readFileSync(values.key, 'utf8'));
// Those of the project stand in package.json, under "release".
const { release } = JSON.parse(readFileSync('package.json', 'utf8')) as { release: { key: string; address: string } };
const publicKey = key?.publicKey ?? release.key;

rmSync(values.out, { recursive: true, force: true });
mkdirSync(values.out, { recursive: true });
const out = (name: string) => join(values.out, name);

const ofAll = await programFiles();
const bundled = bundledIn(Buffer.from(ofAll.get('dist/THIRD_PARTY_LICENSES.txt')?.content ?? []).toString('utf8'));
const lines: string[] = [];

writeFileSync(out('install.sh'), installer({ VERSION, KEY: publicKey, ADDRESS: release.address }), { mode: 0o755 });
lines.push(sumLine(out('install.sh')));

for (const platform of values.platform as Platform[]) {
  const name = `torc-${VERSION}-${platform}`;
  const bill = billOf([...bundled, { name: RUNTIMES[platform], version: lockedRuntime(platform).version }], at);
  writeFileSync(out(`${name}.cdx.json`), bill);
  lines.push(sumLine(out(`${name}.cdx.json`)));
  const files: Files = new Map([
    ...ofAll,
    ...(await runtimeFiles(platform, '.build/runtimes')),
    ['sbom.cdx.json', { content: Buffer.from(bill) }],
    [
      'release.json',
      {
        content: json({
          version: VERSION,
          commit: git('rev-parse', 'HEAD'),
          platform,
          key: publicKey,
          schema: migrations.length,
        }),
      },
    ],
  ]);
  const archive = tarOf(files, name, atSeconds);
  for (const format of FORMATS.filter((each) => values.format.includes(each))) {
    const { line, sizeBytes } = await writeArchive(archive, out(`${name}.${format}`), format);
    lines.push(line);
    process.stdout.write(`${name}.${format}  ${(sizeBytes / 1e6).toFixed(1)} MB  ${line.slice(0, 16)}\n`);
  }
}

const sums = lines.sort((left, right) => left.slice(66).localeCompare(right.slice(66), 'en')).join('');
writeFileSync(out('SHA256SUMS'), sums);
if (key === undefined) process.stdout.write('Not signed: no --key. minisign -S -m SHA256SUMS signs it.\n');
else writeFileSync(out('SHA256SUMS.minisig'), signatureOf(Buffer.from(sums), key, `torc ${VERSION}`));

/** The files of the package of npm, as built now, and what only an installation without npm has: pages and completions. */
async function programFiles(): Promise<Files> {
  execFileSync(process.execPath, ['scripts/build.ts', '--portable'], { stdio: 'inherit' });
  const folder = join(values.out, 'package');
  mkdirSync(folder);
  const words = ['pack', '--json', '--silent', '--ignore-scripts', `--pack-destination=${folder}`];
  const [{ filename }] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8' })) as [{ filename: string }];
  const files = new Map(await filesOf(join(folder, filename)));
  rmSync(folder, { recursive: true });
  const add = (path: string, text: string) => files.set(path, { content: Buffer.from(text), isProgram: false });
  for (const [page, text] of await manPages(at.slice(0, 10))) add(`share/man/man1/${page}`, text);
  add('share/bash-completion/completions/torc', scripts.bash);
  add('share/zsh/site-functions/_torc', scripts.zsh);
  add('share/fish/vendor_completions.d/torc.fish', scripts.fish);
  add('share/link.sh', linker());
  return files;
}

function json(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
