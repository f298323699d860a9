import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '../exec.ts';
import { privateFolder } from '../private-folder.ts';
import { logIn, type LoginLimits, type SshOutcome } from './log-in.ts';
import { talk, type SshCall } from './talk.ts';

/** A host that is reached by ssh. */
interface SshHost {
  readonly user: string | undefined;
  readonly host: string;
  readonly port: number | undefined;
}

/** The system's ssh, with one connection to each host, which all calls share. */
export interface Ssh {
  run(host: SshHost, call: SshCall): Promise<SshOutcome>;
  /** Ends the connections. */
  close(): Promise<void>;
}

/** How long ssh tries to connect. */
const CONNECT_SECONDS = 30;
/** How long an unused connection stays open if this program cannot end it. */
const PERSIST_SECONDS = 60;
const EXIT_MS = 5_000;
/**
 * How long a login and the files that the login shell reads may take. Too short, and hosts with slow home folders fail; too long, and a
 * shell that waits for a person is reported late.
 */
const LOGIN_MS = 45_000;

/**
 * The path of a socket has at most 103 bytes on macOS. Its name has 40, ssh appends 17 while it makes it, and our folder with its
 * slashes has 17.
 */
const MOST_FOLDER_BYTES = 103 - 40 - 17 - 17;

/**
 * Opens no connection yet.
 *
 * The user's configuration applies: names, keys, agents, jump hosts. Nothing is ever asked: a host that wants a
 * password fails. The sockets of the connections are in a folder that only this user can enter. `limits`: shorter in tests.
 */
export function openSsh(limits: LoginLimits = { loginMs: LOGIN_MS }): Ssh {
  const folder = privateFolder('torc-ssh-', MOST_FOLDER_BYTES);
  const connected = new Map<string, SshHost>();
  const greeted = new Map<string, Promise<SshOutcome>>();
  const base = [...settings, `ControlPath=${join(folder, '%C')}`].flatMap((setting) => ['-o', setting]);
  const wordsTo = (host: SshHost, command: string) => [...base, '-T', ...placeOf(host), command];
  return {
    async run(host, call) {
      const key = placeOf(host).join(' ');
      connected.set(key, host);
      // First with an empty input: a shell that the user starts in the place of ours ends at once, and is recognized.
      const greeting = greeted.get(key) ?? logIn((command) => wordsTo(host, command), limits);
      greeted.set(key, greeting);
      const first = await greeting;
      if (first.hasBegun) return talk((command) => wordsTo(host, command), call, limits);
      greeted.delete(key);
      return first;
    },
    async close() {
      const exit = (host: SshHost) => runToEnd('ssh', ['-O', 'exit', ...base, ...placeOf(host)], { atMostMs: EXIT_MS });
      await Promise.all([...connected.values()].map((host) => exit(host).catch(() => {})));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What the configuration of the user may say of other calls does not hold for ours: commands, forwards, words of ssh to a person. */
const settings = [
  `ConnectTimeout=${CONNECT_SECONDS}`,
  'BatchMode=yes',
  'StrictHostKeyChecking=accept-new',
  'ControlMaster=auto',
  `ControlPersist=${PERSIST_SECONDS}`,
  // A connection that died is noticed within 45 s.
  'ServerAliveInterval=15',
  'ServerAliveCountMax=3',
  // Without the banner of the host, which would stand in the place of each reason.
  'LogLevel=ERROR',
  'RemoteCommand=none',
  'PermitLocalCommand=no',
  'ClearAllForwardings=yes',
  'Tunnel=no',
  'ForwardAgent=no',
  'ForwardX11=no',
];

const placeOf = ({ user, host, port }: SshHost): readonly string[] => [
  ...(port === undefined ? [] : ['-p', String(port)]),
  '--',
  user === undefined ? host : `${user}@${host}`,
];
