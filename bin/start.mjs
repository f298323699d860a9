// Plain JavaScript that any Node since 14 can read: it finds a runtime that can run the rest.
//
// It imports no module of Node: for an import Node reads everything that the module exports, and loads what is behind that,
// streams of files for instance. Four imports take 5 ms of the CPU time of each start.
import { compiledPrograms } from './compiled.mjs';
import { followOuter, OUTER_VARIABLE, SIGNALS } from './outer.mjs';

const NEEDED = [24, 15];

/** This folder; an old Node does not know it. */
const here = import.meta.dirname;

/** Is this runtime new enough? node:sqlite works without a flag from 24.15 on. */
function isEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** Runs the program named after one of its entries: from its sources in a checkout, from `dist` in a package. */
export async function start(program) {
  // First: until then SIGHUP ends the program.
  keepHangUpIgnored();
  if (!isEnough(process.versions.node)) {
    await runWithNewer();
    return;
  }
  giveBackVariables();
  giveBackLibraryPath();
  followOuter();
  const { main } = await programs();
  await main(program, process.argv.slice(2));
}

/** bin/runtime.sh sets it where SIGHUP was ignored at the start, as under nohup. */
const HANG_UP_VARIABLE = 'TORC_HANG_UP';

/**
 * Keeps SIGHUP ignored for the life of the program where it was ignored at the start. Node gives every ignored signal its default
 * action before it runs any code, so only the shell that starts Node can know.
 */
export function keepHangUpIgnored() {
  if (process.env[HANG_UP_VARIABLE] === undefined) return;
  // Jobs and helper programs must not see it.
  delete process.env[HANG_UP_VARIABLE];
  const deliver = process.emit;
  process.emit = (name, ...values) => name === 'SIGHUP' || deliver.call(process, name, ...values);
  // After that: Node delivers a signal with the function that it finds at the first listener.
  process.on('SIGHUP', () => {});
}

/** Variables that the shell which starts Node has dropped (bin/runtime.sh), each with the separator of records behind it. */
function giveBackVariables() {
  const lost = process.env.TORC_LOST_VARIABLES;
  if (lost === undefined) return;
  delete process.env.TORC_LOST_VARIABLES;
  for (const entry of lost.split('\x1e')) {
    const at = entry.indexOf('=');
    const name = entry.slice(0, at);
    if (at > 0 && !Object.hasOwn(process.env, name)) process.env[name] = entry.slice(at + 1);
  }
}

async function programs() {
  const { existsSync } = process.getBuiltinModule('fs');
  const { join } = process.getBuiltinModule('path');
  const source = join(here, '..', 'src', 'cli', 'program', 'main.ts');
  const built = join(here, '..', 'dist', 'cli');
  const isCheckout = existsSync(source);
  const load = isCheckout ? undefined : compiledPrograms(built);
  if (load !== undefined) return load('main.cjs');
  keepCompiled();
  return import(isCheckout ? source : join(built, 'main.cjs'));
}

/**
 * Keeps compiled code on the local disk, in a folder that only this user may write (docs/adr/0024): the next start takes it
 * from there. That is two thirds of a start from the sources, and a fifth of one from a package without code for this V8.
 *
 * A user who writes there decides what torc does, so a folder that another user has prepared is left alone. A full disk or a
 * damaged file costs the gain and nothing else. With NODE_COMPILE_CACHE Node has a folder already.
 */
function keepCompiled() {
  const user = process.getuid?.();
  if (user === undefined) return;
  const { lstatSync, mkdirSync } = process.getBuiltinModule('fs');
  const folder = `${process.env.TMPDIR || '/tmp'}/torc-compiled-${user}`;
  try {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found === undefined) mkdirSync(folder, { mode: 0o700 });
    else if (!found.isDirectory() || found.uid !== user || (found.mode & 0o077) !== 0) return;
    process.getBuiltinModule('module').enableCompileCache?.(folder);
  } catch {
    // There is no such place here, or another start has made it just now.
  }
}

/**
 * Where this Node was started with the library that torc brings, the path to it leaves the environment, which jobs get.
 * Processes of our own, which are started by `process.execPath`, find the library as this one did.
 */
function giveBackLibraryPath() {
  const path = process.env.LD_LIBRARY_PATH ?? '';
  const own = `${here}/lib/${process.arch}`;
  if (path !== own && !path.endsWith(`:${own}`)) return;
  if (path === own) delete process.env.LD_LIBRARY_PATH;
  else process.env.LD_LIBRARY_PATH = path.slice(0, -own.length - 1);
  process.execPath = `${here}/runtime.sh`;
}

/** Becomes a newer runtime, as far as an old one can: same arguments and streams, signals passed on, its exit code. */
async function runWithNewer() {
  const { fileURLToPath } = await import('node:url');
  // Runs its arguments with a Node that is new enough, or says why there is none.
  const runtime = fileURLToPath(new URL('runtime.sh', import.meta.url));
  const args = process.argv.slice(1);
  if (typeof process.execve === 'function') process.execve(runtime, [runtime, ...args], process.env);
  // Loading it takes 10 ms, which a new Node need not spend.
  const { spawn } = await import('node:child_process');
  // The channel carries our signals to it, and its closing reports our end, also when we are killed.
  const child = spawn(runtime, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [OUTER_VARIABLE]: String(process.pid) },
  });
  for (const signal of SIGNALS) process.on(signal, () => child.send({ signal }, () => {}));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
