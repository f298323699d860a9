import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { newClient } from '../../src/telemetry/store/postgres/library.ts';

/** Where Debian puts the programs of each version. */
const DEBIAN = '/usr/lib/postgresql';

const folderOfPrograms = ((): string | undefined => {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : [];
  const newest = versions
    .filter((version) => existsSync(join(DEBIAN, String(version), 'bin/initdb')))
    .sort((a, b) => b - a)[0];
  return newest === undefined ? undefined : join(DEBIAN, String(newest), 'bin');
})();

/** PostgreSQL does not run as root: then as the user of its package. */
const account = ((): { uid: number; gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const [, , uid, gid] = /^(postgres|nobody):.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':') ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
})();

/** Why there is no PostgreSQL here; undefined where there is one. */
export const postgresIsMissing: string | undefined =
  folderOfPrograms === undefined ? `the package postgresql is not installed (no initdb below ${DEBIAN})` : undefined;

/** A real PostgreSQL in a folder of its own, reached through a socket. */
export class PostgresServer {
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #databases = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(): Promise<PostgresServer> {
    // The path of a socket has at most 107 bytes.
    const folder = mkdtempSync(join(tmpdir(), 'torc-pg-'));
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'data'), { mode: 0o700 });
    if (account !== undefined)
      for (const path of [folder, join(folder, 'data')]) chownSync(path, account.uid, account.gid);
    const server = new PostgresServer(folder);
    execFileSync(
      join(folderOfPrograms ?? '', 'initdb'),
      ['--no-sync', '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8', '-D', join(folder, 'data')],
      {
        ...account,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
      },
    );
    await server.begin();
    return server;
  }

  /** Starts the server of the folder, again after `kill`. */
  async begin(): Promise<void> {
    this.#child = spawn(
      join(folderOfPrograms ?? '', 'postgres'),
      ['-D', join(this.#folder, 'data'), '-k', this.#folder, '-c', 'listen_addresses=', '-c', 'fsync=off'],
      { ...account, cwd: this.#folder, stdio: 'ignore', env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' } },
    );
    const deadline = Date.now() + 60_000;
    while (!(await this.#answers())) {
      if (Date.now() > deadline) throw new Error('PostgreSQL did not start within a minute');
      await pause(20);
    }
  }

  async #answers(): Promise<boolean> {
    const client = await newClient(this.#urlOf('postgres'));
    client.on('error', () => {});
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  }

  #urlOf(database: string): string {
    return `postgres://postgres@/${database}?host=${encodeURIComponent(this.#folder)}`;
  }

  /** What programs of PostgreSQL find the server with. */
  get environment(): Readonly<Record<string, string>> {
    return { PGHOST: this.#folder, PGUSER: 'postgres' };
  }

  /** The URL of a new, empty database. */
  async newDatabase(): Promise<string> {
    const name = `test${(this.#databases += 1)}`;
    await this.query(this.#urlOf('postgres'), `create database ${name}`);
    return this.#urlOf(name);
  }

  async query(url: string, sql: string, ...values: readonly unknown[]) {
    const client = await newClient(url);
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends all connections at once, as a crash does. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGQUIT');
    await ended;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
