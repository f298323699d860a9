/**
 * Makes what people install without npm, from a clone after `npm ci`: `npm run artefacts -- --out FOLDER`.
 *
 * For each platform an archive with the runtime, as .tar.xz and .tar.gz, a wheel of Python, and packages of Debian and RPM; for all of them install.sh, two packages of npm, a wheel without programs, a bill of materials,
 * SHA256SUMS, and with `--key FILE` (a secret key of minisign without a password) its signature. The same commit makes the same
 * bytes: times are those of the commit, and what V8 compiles, which depends on the machine, is left out (docs/adr).
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { scripts } from '../src/cli/commands/completions/scripts.ts';
import { migrations, oldestBeside } from '../src/server/store/migrations.gen.ts';
import { VERSION } from '../src/core/contract/version.ts';
import { type Files, FORMATS, sumLine, tarOf, writeArchive } from './artefacts/archive.ts';
import { debOf } from './artefacts/deb.ts';
import { rpmOf } from './artefacts/rpm.ts';
import { billOf, bundledIn } from './artefacts/bill.ts';
import { installer, linker, moduleFile } from './artefacts/installer.ts';
import { type NpmNames, npmPackageOf } from './artefacts/npm.ts';
import { manPages } from './artefacts/man-pages.ts';
import { filesOf, lockedRuntime, PLATFORMS, RUNTIMES, runtimeFiles, type Platform } from './artefacts/runtimes.ts';
import { isThere } from './artefacts/try.ts';
import { recipesOf } from './artefacts/recipes.ts';
import { signatureOf, signingKey } from './artefacts/sign.ts';
import { systemFilesOf } from './artefacts/system-files.ts';
import { wheelOf, type WheelParts } from './artefacts/wheel.ts';

const root = resolve(import.meta.dirname, '..');
process.chdir(root);

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: '.build/artefacts' },
    platform: { type: 'string', multiple: true, default: [...PLATFORMS] },
    format: { type: 'string', multiple: true, default: [...FORMATS, 'whl', 'deb', 'rpm', 'npm'] },
    key: { type: 'string' },
    trial: { type: 'boolean', default: false },
  },
});

const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim();
const atSeconds = Number(git('log', '-1', '--format=%ct'));
const at = new Date(atSeconds * 1000).toISOString();
const key = values.key === undefined ? undefined : signingKey(readFileSync(values.key, 'utf8'));
// Those of the project stand in package.json, under "release".
const { release, description } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly release: { readonly key: string; readonly address: string; readonly maintainer: string };
  readonly description: string;
};
const publicKey = key?.publicKey ?? release.key;

rmSync(values.out, { recursive: true, force: true });
mkdirSync(values.out, { recursive: true });
const out = (name: string) => join(values.out, name);

const ofAll = await programFiles();
const bundled = bundledIn(Buffer.from(ofAll.get('dist/THIRD_PARTY_LICENSES.txt')?.content ?? []).toString('utf8'));
const lines: string[] = [];

writeFileSync(out('install.sh'), installer({ VERSION, KEY: publicKey, ADDRESS: release.address }), { mode: 0o755 });
lines.push(sumLine(out('install.sh')));

const platforms = new Map<Platform, Files>();
for (const platform of values.platform as Platform[]) {
  const name = `torc-${VERSION}-${platform}`;
  const own = await platformFiles(platform);
  writeFileSync(out(`${name}.cdx.json`), own.get('sbom.cdx.json')?.content ?? '');
  lines.push(sumLine(out(`${name}.cdx.json`)));
  const files: Files = new Map([...ofAll, ...own]);
  platforms.set(platform, files);
  const archive = tarOf(files, name, atSeconds);
  for (const format of FORMATS.filter((each) => values.format.includes(each))) {
    const { line, sizeBytes } = await writeArchive(archive, out(`${name}.${format}`), format, values.trial);
    lines.push(line);
    process.stdout.write(`${name}.${format}  ${(sizeBytes / 1e6).toFixed(1)} MB  ${line.slice(0, 16)}\n`);
  }
}

if (values.format.includes('whl')) {
  lines.push(wheelFor());
  for (const [platform, files] of platforms) lines.push(wheelFor({ platform, files }));
}

if (values.format.includes('npm'))
  for (const kind of ['plain', 'withNode'] as const satisfies readonly (keyof NpmNames)[])
    lines.push(written(npmPackageOf(ofAll, kind, atSeconds)));

const hasRpm = values.format.includes('rpm') && isThere('rpmbuild');
if (values.format.includes('rpm') && !hasRpm)
  process.stdout.write('skipped: the packages of RPM, because rpmbuild is missing\n');
const about = { description, maintainer: release.maintainer };
for (const [platform, files] of platforms) {
  const parts = { version: VERSION, platform, files: systemFilesOf(files), about, atSeconds, isTrial: values.trial };
  const made = [values.format.includes('deb') && debOf(parts), hasRpm && rpmOf(parts)];
  for (const each of made) if (each) lines.push(written(each));
}

for (const [name, text] of recipesOf({ version: VERSION, address: release.address, lines })) {
  writeFileSync(out(name), text);
  lines.push(sumLine(out(name)));
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
  add(`share/modulefiles/torc/${VERSION}.lua`, moduleFile(VERSION));
  return files;
}

/** The wheel with the programs of a platform; without one, the Python modules alone. */
function wheelFor(programs?: WheelParts['programs']): string {
  const of = (isWanted: (path: string) => boolean): Files => new Map([...ofAll].filter(([path]) => isWanted(path)));
  return written(
    wheelOf({
      project: readFileSync('python/pyproject.toml', 'utf8'),
      readme: readFileSync('python/README.md', 'utf8'),
      modules: new Map(
        [...of((path) => path.startsWith('python/torc_flow/'))].map(([path, file]) => [
          path.slice('python/'.length),
          file,
        ]),
      ),
      licences: of((path) => path === 'LICENSE'),
      programs,
      atSeconds,
      isTrial: values.trial,
    }),
  );
}

/** Its line of SHA256SUMS. */
function written({ name, content }: { readonly name: string; readonly content: Buffer }): string {
  writeFileSync(out(name), content);
  process.stdout.write(`${name}  ${(content.length / 1e6).toFixed(1)} MB\n`);
  return sumLine(out(name));
}

/** What an installation for a platform has beside the files for all of them: the runtime, and what says which version it is. */
async function platformFiles(platform: Platform): Promise<Files> {
  const bill = billOf([...bundled, { name: RUNTIMES[platform], version: lockedRuntime(platform).version }], at);
  const commit = git('rev-parse', 'HEAD');
  const content = json({
    version: VERSION,
    commit,
    platform,
    key: publicKey,
    schema: migrations.length,
    oldest: oldestBeside,
  });
  return new Map([
    ...(await runtimeFiles(platform, '.build/runtimes')),
    ['sbom.cdx.json', { content: Buffer.from(bill) }],
    ['release.json', { content }],
  ]);
}

function json(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
