import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programOn } from '../../src/cluster/program-on.ts';
import { imageSteps } from './recipes.ts';
import type { NpmNames } from './npm.ts';

export interface Trial {
  /** The folder of the artefacts. */
  readonly out: string;
  /** The clone, and a folder that is removed afterwards. */
  readonly root: string;
  readonly folder: string;
  readonly say: (words: string) => void;
}

/** What a user runs first, where the folder of examples is. */
const EXAMPLE = 'torc -s run examples/diamond.yaml && cat torc_output/diamond/result.txt && torc --version';

/** Installs each artefact for this machine in a fresh place, and runs the example of the README there. Throws where one fails. */
export function tryArtefacts(trial: Trial): void {
  if (isThere('mmdebstrap') && process.getuid?.() === 0) tryOnDebian(trial);
  else tryInHome(trial);
  tryNpm(trial);
  tryRpm(trial);
  tryWheel(trial);
}

const archived = (release: string) =>
  `cd "$HOME" && sh "${release}/install.sh" --prefix "$HOME/a place" && PATH="$HOME/a place/bin:$PATH" && ${EXAMPLE}`;

function tryInHome({ out, root, folder, say }: Trial): void {
  const home = join(folder, 'home');
  cpSync(join(root, 'examples'), join(home, 'examples'), { recursive: true });
  run('env', ['-i', `HOME=${home}`, 'PATH=/usr/bin:/bin', '/bin/sh', '-c', archived(out)]);
  say('the archive is installed in an empty home, and runs the example');
}

/** A package is installed, updated, removed and purged; the database stays. */
const PACKAGED = `set -e
dpkg --install /release/torc_*.deb
grep -q ^torc: /etc/passwd
su ada -s /bin/sh -c 'cd ~ && ${EXAMPLE}'
test -s /usr/share/man/man1/torc-run.1.gz && test -s /usr/lib/systemd/system/torc-server.service
! torc-server service install 2> refused || exit 1
grep 'a package brings' refused
dpkg --install /release/torc_*.deb
mkdir -p /var/lib/torc /var/log/torc && echo kept > /var/lib/torc/torc.db
dpkg --remove torc
! test -e /usr/lib/torc && ! test -e /usr/bin/torc && test -e /var/log/torc
dpkg --purge torc
find /etc /usr /var -name 'torc*' > left
printf '/var/lib/torc\\n/var/lib/torc/torc.db\\n' | diff - left
`;

function tryOnDebian({ out, root, folder, say }: Trial): void {
  const system = join(folder, 'root');
  const include = '--include=libstdc++6,libatomic1,passwd';
  execFileSync('env', ['mmdebstrap', '--quiet', '--variant=essential', include, 'bookworm', system], {
    stdio: 'inherit',
  });
  cpSync(out, join(system, 'release'), { recursive: true });
  cpSync(join(root, 'examples'), join(system, 'home/ada/examples'), { recursive: true });
  writeFileSync(join(system, 'try-package.sh'), PACKAGED);
  execFileSync('env', ['mount', '-t', 'proc', 'proc', join(system, 'proc')]);
  const as = (user: readonly string[], script: string) => {
    const clean = ['/usr/bin/env', '-i', 'HOME=/home/ada', 'USER=ada', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin'];
    run('chroot', [...user, system, ...clean, '/bin/sh', '-c', script]);
  };
  try {
    as([], 'useradd --home-dir /home/ada --user-group ada && chown -R ada:ada /home/ada');
    as(['--userspec=ada:ada'], `! command -v node && ${archived('/release')} && rm -r torc_output`);
    say('the archive is installed on a Debian without Node by a user who is not root, and runs the example');
    tryImage(readFileSync(join(out, 'Containerfile'), 'utf8'), (script) => as([], script));
    say('the steps of the Containerfile run there, its server is healthy, and its user runs the example');
    if (!readdirSync(out).some((name) => name.endsWith('.deb'))) return;
    as([], 'sh /try-package.sh');
    say('the package of Debian is installed, updated, removed and purged there, and leaves the database alone');
  } finally {
    execFileSync('env', ['umount', '--lazy', join(system, 'proc')]);
  }
}

/** Does in a root what an image would be made of, and runs what the image runs until it is healthy. */
function tryImage(containerfile: string, run: (script: string) => void): void {
  // A root shares the ports of this machine.
  const port = String(20_000 + (process.pid % 10_000));
  const { script, user, entry, health } = imageSteps(containerfile.replaceAll('8080', port));
  const server = [
    `${entry.join(' ')} & server=$!; trap "kill $server" EXIT`,
    `for _ in $(seq 60); do ${health} 2> /dev/null && break; sleep 0.5; done`,
    `${health} && trap - EXIT && kill $server && wait $server`,
  ].join('\n');
  const as = (words: string) => `su ${user} -s /bin/sh -c '${words}'`;
  run(
    `export PATH=/usr/local/bin:$PATH\n${script}\ncd /var/lib/torc && ${as(server)}\n${as(`cp -r /home/ada/examples . && ${EXAMPLE}`)}`,
  );
  // What comes next finds the root as it was.
  run("userdel --remove torc; find /usr/local /opt -name '*torc*' -prune -exec rm -r {} +");
}

/** Bytes that the package without a Node may have when it is installed. */
const MOST_INSTALLED_BYTES = 12e6;

/**
 * Installs both packages of npm from their files in fresh folders. The one without a Node needs no network, and runs with the Node that
 * runs this; the other brings its own, and runs where none that is new enough is on PATH.
 */
function tryNpm({ out, root, folder, say }: Trial): void {
  const { release } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { release: { npm: NpmNames } };
  for (const [kind, name] of Object.entries(release.npm)) {
    const file = readdirSync(out).find((each) => each.startsWith(name) && /^-\d.*\.tgz$/.test(each.slice(name.length)));
    if (file === undefined) return say('skipped: the packages of npm, because none was made');
    const home = join(folder, `home of ${name}`);
    cpSync(join(root, 'examples'), join(home, 'examples'), { recursive: true });
    const isPlain = kind === 'plain';
    const words = ['install', '--global', '--prefix', join(home, 'prefix'), '--no-audit', '--no-fund', '--silent'];
    run('npm', [...words, isPlain ? '--offline' : '--prefer-offline', join(out, file)]);
    const node = isPlain ? `${dirname(process.execPath)}:` : '';
    const path = `${join(home, 'prefix/bin')}:${node}/usr/bin:/bin`;
    run('env', ['-i', `HOME=${home}`, `PATH=${path}`, '/bin/sh', '-c', `cd "$HOME" && ${EXAMPLE}`]);
    const bytes = isPlain ? bytesBelow(join(home, 'prefix')) : 0;
    if (bytes > MOST_INSTALLED_BYTES) throw new Error(`${name} has ${bytes} bytes when installed`);
    say(
      `${name} of npm is installed${isPlain ? ` (${(bytes / 1e6).toFixed(1)} MB)` : ' with its Node'}, and runs the example`,
    );
  }
}

const bytesBelow = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
    const found = lstatSync(join(folder, name));
    return sum + (found.isFile() ? found.size : 0);
  }, 0);

/** Looks at the package, and runs its program where it is unpacked: here is no system of rpm. */
function tryRpm({ out, root, folder, say }: Trial): void {
  const name = readdirSync(out).find((each) => each.endsWith(process.arch === 'arm64' ? 'aarch64.rpm' : 'x86_64.rpm'));
  if (name === undefined || !isThere('rpm2cpio') || !isThere('cpio'))
    return say(
      `skipped: the package of RPM, because ${name === undefined ? 'none is for this machine' : 'rpm2cpio or cpio is missing'}`,
    );
  const home = join(folder, 'home of rpm');
  cpSync(join(root, 'examples'), join(home, 'examples'), { recursive: true });
  const script = `cd "$HOME" && rpm2cpio "${join(out, name)}" | cpio --quiet -idm && PATH="$HOME/usr/bin:$PATH" && ${EXAMPLE}`;
  run('env', ['-i', `HOME=${home}`, 'PATH=/usr/bin:/bin', '/bin/sh', '-c', script]);
  say('the package of RPM is unpacked, and runs the example');
}

/** Installs the wheel of this machine in a new environment of Python without a network, and lets what PyPI asks for look at it. */
function tryWheel({ out, root, folder, say }: Trial): void {
  const wheels = readdirSync(out).filter((name) => name.endsWith('.whl'));
  const machine = process.arch === 'arm64' ? /(?:aarch64|macosx.*arm64)\.whl$/ : /x86_64\.whl$/;
  const wheel = wheels.find((name) => machine.test(name));
  const venv = join(folder, 'venv');
  if (wheel === undefined || spawnSync('python3', ['-m', 'venv', venv]).status !== 0)
    return say(
      `skipped: the wheel, because ${wheel === undefined ? 'none is for this machine' : 'python3 has no venv'}`,
    );
  run(join(venv, 'bin/pip'), ['install', '--quiet', '--no-index', '--disable-pip-version-check', join(out, wheel)]);
  const home = join(folder, 'home of pip');
  cpSync(join(root, 'examples'), join(home, 'examples'), { recursive: true });
  const script = `cd "$HOME" && ${EXAMPLE} && python -c 'import torc_flow; print(torc_flow.map(str, range(3)))'`;
  run('env', ['-i', `HOME=${home}`, `PATH=${venv}/bin:/usr/bin:/bin`, '/bin/sh', '-c', script]);
  say('the wheel is installed in an environment of Python, and runs the example and a function');
  const tools = join(root, '.build/python/bin');
  if (!existsSync(join(tools, 'twine')) || !existsSync(join(tools, 'auditwheel')))
    return say('skipped: twine and auditwheel, which are not in .build/python');
  run(join(tools, 'twine'), ['check', '--strict', ...wheels.map((name) => join(out, name))]);
  const found = execFileSync(join(tools, 'auditwheel'), ['show', join(out, wheel)], { encoding: 'utf8' });
  const [, tag = 'no tag'] = /platform\s+tag:\s+"(\S+)"/.exec(found) ?? [];
  if (!wheel.includes(tag)) throw new Error(`auditwheel gives ${wheel} ${tag}:\n${found}`);
  say(`twine accepts the wheels, and auditwheel gives ${tag}`);
}

function run(program: string, words: readonly string[]): void {
  execFileSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'], timeout: 120_000 });
}

export const isThere = (program: string): boolean => programOn(process.env['PATH'], program) !== undefined;
