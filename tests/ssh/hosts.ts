import { execFileSync, spawn } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { whenOver } from '../support/over.ts';
import { programFolder } from '../support/packed.ts';

/** Real ssh servers for one test file: hosts worker1, worker2 … on this machine, each with a host name of its own. */
export interface Hosts {
  /** What a person has who reaches them: `ssh` first on PATH, with a configuration that knows them. */
  readonly environment: Readonly<Record<string, string>>;
  /** `crash` ends the host and all that runs on it, `stop` only the logins; `start` brings it back. */
  worker(action: 'crash' | 'stop' | 'start', name: string): void;
  readonly path: readonly string[];
  /** The home folder of the user on all hosts. */
  readonly home: string;
  /** The users `as-SHELL`, one for each shell that is installed, with their home folders; none where mounts are not possible. */
  readonly users: Readonly<Record<string, string>>;
  portOf(name: string): number;
  /** The file of the key that all of them accept. */
  readonly identity: string;
  /** Starts a host again with more settings of its ssh server. */
  configure(name: string, settings: string): void;
  /** Settings of `ssh`, before all others. */
  client(settings: string): Readonly<Record<string, string>>;
  /** A program that stands before `ssh` on PATH; `REAL_SSH` is the one behind it. Returns the variables for it. */
  before(script: string): Readonly<Record<string, string>>;
}

const script = resolve(import.meta.dirname, 'hosts.sh');
/** The program on the hosts, as a line of a worker file names it. */
export const torcThere = join(programFolder(), 'torc');

const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];

/** Why these tests are skipped here; undefined where they run. */
export const hostsAreMissing: string | undefined = (() => {
  const missing = ['sshd', 'ssh', 'ssh-keygen'].filter(
    (program) => !folders.some((folder) => isProgram(join(folder, program))),
  );
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`;
  if (process.getuid?.() !== 0) return 'only root can give each host a name of its own';
  return undefined;
})();

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const FIRST_PORT = 20_000;
const PORTS = 9_000;
const TRIES = 8;

/**
 * Starts hosts, which end behind the last test of the file, also if the process of the tests is killed. Those with users do not see what
 * is mounted later.
 */
export function startHosts(workers: number, { withUsers = false } = {}): Hosts {
  const folder = mkdtempSync(join(tmpdir(), 'torc-ssh-hosts-'));
  chmodSync(folder, 0o755);
  const down = () => void run(['down', '--purge', '--dir', folder]);
  endWithThisProcess(folder);
  whenOver(down);
  const firstPort = up(folder, ['--workers', String(workers), ...(withUsers ? ['--users'] : [])]);
  const bin = join(folder, 'bin');
  return {
    environment: { PATH: [bin, ...folders].join(delimiter) },
    home: join(folder, 'home'),
    path: [bin, ...HOSTS_PATH.split(delimiter)],
    users: usersIn(folder),
    identity: join(folder, 'etc/id'),
    portOf: (name) => firstPort + Number(name.replace('worker', '')) - 1,
    configure(name, settings) {
      writeFileSync(join(folder, 'etc', `sshd_more.${name}`), `${settings}\n`);
      run(['worker', 'stop', name, '--dir', folder]);
      run(['worker', 'start', name, '--dir', folder]);
    },
    client(settings) {
      const own = mkdtempSync(join(folder, 'client-'));
      const config = join(own, 'config');
      writeFileSync(config, `${settings}\nMatch all\nInclude ${join(folder, 'etc/ssh_config')}\n`);
      writeFileSync(join(own, 'ssh'), `#!/bin/sh\nexec ${realSsh()} -F ${config} "$@"\n`, { mode: 0o755 });
      return { PATH: [own, bin, ...folders].join(delimiter) };
    },
    worker: (action, name) => void run(['worker', action, name, '--dir', folder]),
    before(text) {
      const own = mkdtempSync(join(folder, 'before-'));
      mkdirSync(own, { recursive: true });
      writeFileSync(join(own, 'ssh'), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
      return { PATH: [own, bin, ...folders].join(delimiter), REAL_SSH: join(bin, 'ssh') };
    },
  };
}

function usersIn(folder: string): Record<string, string> {
  if (!existsSync(join(folder, 'run/with-users'))) return {};
  const users = join(folder, 'users');
  return Object.fromEntries(readdirSync(users).map((name) => [name, join(users, name)]));
}

const realSsh = () => folders.map((each) => join(each, 'ssh')).find(isProgram) ?? 'ssh';

/** Others may take a port first: then other ports are tried. */
function up(folder: string, options: readonly string[]): number {
  for (let attempt = 1; ; attempt += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    try {
      run(['up', ...options, '--port', String(port), '--dir', folder]);
      return port;
    } catch (error) {
      if (attempt === TRIES || !/port|Address already in use/.test(String(error))) throw error;
    }
  }
}

/** The programs of torc are on the PATH of the hosts, in front of all others. */
const HOSTS_PATH = [programFolder(), dirname(process.execPath), ...folders].join(delimiter);

const run = (args: readonly string[]): string =>
  execFileSync('/bin/bash', [script, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOSTS_PATH },
  });

/** A process of its own that waits for the end of this one. */
function endWithThisProcess(folder: string): void {
  const watch = `while kill -0 ${process.pid} 2>/dev/null; do sleep 1; done; exec /bin/bash "$0" down --purge --dir "$1"`;
  spawn('/bin/bash', ['-c', watch, script, folder], { stdio: 'ignore', detached: true }).unref();
}
