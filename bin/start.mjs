// Plain JavaScript that any Node since 14 can read: it finds a runtime that can run the rest.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = [24, 15];
/** sysexits.h: something is configured wrongly. */
const EX_CONFIG = 78;

const here = dirname(fileURLToPath(import.meta.url));

/** Is this runtime new enough? node:sqlite works without a flag from 24.15 on. */
function isEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** The runtime that `npm ci` brings as a package for this platform, if it did. */
function broughtRuntime() {
  const require = createRequire(import.meta.url);
  const { platform, arch } = process;
  for (const name of [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`]) {
    try {
      const binary = join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'node');
      if (existsSync(binary)) return binary;
    } catch {
      // Not for this platform, or left out at installation.
    }
  }
  return undefined;
}

/** Runs the program named after one of its entries: from its sources in a checkout, from `dist` in a package. */
export async function start(program) {
  if (!isEnough(process.versions.node)) {
    const runtime = broughtRuntime();
    if (runtime === undefined) {
      process.stderr.write(
        `torc needs Node ${NEEDED.join('.')} or newer; this is Node ${process.versions.node}, and no newer one was installed with torc.\n` +
          'Install a current Node (https://nodejs.org), or run `npm ci` again without leaving out optional packages.\n',
      );
      process.exit(EX_CONFIG);
    }
    runWith(runtime);
    return;
  }
  const source = join(here, '..', 'src', 'cli', 'main.ts');
  const entry = existsSync(source) ? source : join(here, '..', 'dist', 'cli', 'main.js');
  const { main } = await import(entry);
  await main(program, process.argv.slice(2));
}

/** Becomes the other runtime, as far as an old one can: same arguments and streams, signals passed on, its exit code. */
function runWith(runtime) {
  const args = [process.argv[1], ...process.argv.slice(2)];
  if (typeof process.execve === 'function') process.execve(runtime, [runtime, ...args], process.env);
  const child = spawn(runtime, args, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']) process.on(signal, () => child.kill(signal));
  // A terminal sends SIGINT to both of us; anybody else only to this process.
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
