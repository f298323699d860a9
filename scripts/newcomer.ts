/**
 * Measures the way of a newcomer to the first job: `node scripts/newcomer.ts FOLDER`, with the folder of a release. For each way the
 * bytes that are fetched, the commands, and the seconds until the example of the README has run, in a fresh home. Ways that need a
 * network or another user are left out, and said.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const release = resolve(process.argv[2] ?? '.build/release');
const arch = process.arch === 'arm64' ? { npm: 'arm64', wheel: 'aarch64' } : { npm: 'x64', wheel: 'x86_64' };
const RUN = 'torc -s run examples/diamond.yaml';
const node = `PATH=${dirname(process.execPath)}:$PATH`;

const WAYS = [
  {
    way: 'archive',
    file: new RegExp(`^torc-[\\d.]+-linux-${arch.npm}\\.tar\\.xz$`),
    commands: () => [`sh "${release}/install.sh"`, 'export PATH="$HOME/.local/bin:$PATH"', RUN],
  },
  {
    way: 'pip, in an environment',
    file: new RegExp(`manylinux_.*_${arch.wheel}\\.whl$`),
    commands: (file: string) => [
      'python3 -m venv env && . env/bin/activate',
      `pip install --quiet --no-index --disable-pip-version-check "${file}"`,
      RUN,
    ],
  },
  {
    way: 'npm, with the Node that is there',
    file: /^torc-flow-\d.*\.tgz$/,
    commands: (file: string) => [
      `${node} npm install --global --prefix ~/n --offline --silent --no-audit --no-fund "${file}"`,
      `export ${node} && export PATH="$HOME/n/bin:$PATH"`,
      RUN,
    ],
  },
] as const;

process.stdout.write('way                               MB  commands  seconds  CPU seconds\n');
for (const { way, file, commands } of WAYS) {
  const name = readdirSync(release).find((each) => file.test(each));
  if (name === undefined) {
    process.stdout.write(`${way.padEnd(33)} skipped: the release has none\n`);
    continue;
  }
  const home = mkdtempSync(join(tmpdir(), 'torc-newcomer-'));
  try {
    cpSync(join(root, 'examples'), join(home, 'examples'), { recursive: true });
    const steps = commands(join(release, name));
    const script = `cd "$HOME"; TIMEFORMAT='%R %U %S'; time { ${steps.join(' && ')}; } > out 2>&1`;
    const words = ['-i', `HOME=${home}`, 'PATH=/usr/bin:/bin', 'bash', '-c', `{ ${script}; } 2>&1`];
    const [real = 0, user = 0, system = 0] = execFileSync('env', words, { encoding: 'utf8' }).split(' ').map(Number);
    const megabytes = (statSync(join(release, name)).size / 1e6).toFixed(1);
    const figures = [megabytes.padStart(6), String(steps.length).padStart(9), real.toFixed(1).padStart(8)];
    process.stdout.write(`${way.padEnd(30)}${figures.join(' ')} ${(user + system).toFixed(1).padStart(12)}\n`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
process.stdout.write('Not measured: npm with its Node (it needs a network), Debian (an administrator).\n');
