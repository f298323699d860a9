import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, runToEnd } from '../exec.ts';
import { privateFolder } from '../private-folder.ts';

/** A host that is reached by ssh. */
export interface SshHost {
  readonly user: string | undefined;
  readonly host: string;
  readonly port: number | undefined;
}

export interface SshCall {
  /** A POSIX shell script; its parameters are `args`. It never contains secrets: other users can read it. */
  readonly script: string;
  readonly args: readonly string[];
  readonly input?: string | undefined;
  readonly atMostMs: number;
  /** An open file that gets the standard output. */
  readonly outputFd?: number | undefined;
}

/** The system's ssh, with one connection to each host, which all calls share. */
export interface Ssh {
  run(host: SshHost, call: SshCall): Promise<Outcome>;
  /** Ends the connections. */
  close(): Promise<void>;
}

/** How long ssh tries to connect. */
const CONNECT_SECONDS = 30;
/** How long an unused connection stays open if this program cannot end it. */
const PERSIST_SECONDS = 60;
const EXIT_MS = 5_000;

/**
 * Opens no connection yet.
 *
 * The user's configuration applies: names, keys, agents, jump hosts. Nothing is ever asked: a host that wants a
 * password fails. The sockets of the connections are in a folder that only this user can enter.
 */
export function openSsh(): Ssh {
  // The path of a socket has at most 107 bytes, 41 of which are its name.
  const folder = privateFolder('torc-ssh-', 50);
  const connected = new Map<string, SshHost>();
  const settings = [
    `ConnectTimeout=${CONNECT_SECONDS}`,
    'BatchMode=yes',
    'StrictHostKeyChecking=accept-new',
    'ControlMaster=auto',
    `ControlPath=${join(folder, '%C')}`,
    `ControlPersist=${PERSIST_SECONDS}`,
    // A connection that died is noticed within 45 s.
    'ServerAliveInterval=15',
    'ServerAliveCountMax=3',
  ];
  const base = [...settings.flatMap((setting) => ['-o', setting]), '-T'];
  const placeOf = ({ user, host, port }: SshHost) => [
    ...(port === undefined ? [] : ['-p', String(port)]),
    '--',
    user === undefined ? host : `${user}@${host}`,
  ];
  return {
    run(host, { script, args, input, atMostMs, outputFd }) {
      connected.set(placeOf(host).join(' '), host);
      // The login shell of the user may be any; these words mean the same in all.
      const command = ['exec', '/bin/sh', '-c', quoted(script), 'torc', ...args.map(quoted)].join(' ');
      return runToEnd('ssh', [...base, ...placeOf(host), command], { atMostMs, input: input ?? '', outputFd });
    },
    async close() {
      const exit = (host: SshHost) => runToEnd('ssh', ['-O', 'exit', ...base, ...placeOf(host)], { atMostMs: EXIT_MS });
      await Promise.all([...connected.values()].map((host) => exit(host).catch(() => {})));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One word for any shell: `a'b` becomes `'a'\''b'`. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
