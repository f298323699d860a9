import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { BASE_PATH } from '../../../src/core/contract/base-path.ts';
import { endProcessesWith, temporaryFolder, until } from '../programs.ts';
import type { OtherServer } from './parse.ts';

/** One shell in a fresh folder, in which the commands of a page run one after the other. */
export interface Reader {
  readonly folder: string;
  /** Runs a command to its end; a program that it left in the background goes on. */
  type(command: string): Typed;
}

export interface Typed {
  /** Standard output and standard error so far, in the order in which they were written. */
  output(): string;
  /** Exit code; rejects when the command does not end. */
  readonly ended: Promise<number>;
  /** Presses Ctrl-C: SIGINT to the program in the foreground. */
  interrupt(): Promise<void>;
}

/** Other tests may take most of the time of two cores; a page ends as soon as its commands do. */
export const PATIENCE_MS = 400_000;

/**
 * Runs what arrives on descriptor 3, text by text, and reports exit codes on descriptor 4.
 *
 * Job control gives each command a process group of its own: Ctrl-C reaches that one, and `kill %1` ends all of it.
 */
const SHELL = `
set -m
trap : INT
number=0
while IFS= read -r -d '' -u 3 command; do
  number=$((number + 1))
  eval "$command" < /dev/null > "$READER_OUTPUT/$number" 2>&1 3<&- 4>&-
  echo $? >&4
done
`;

export interface ReaderOptions {
  /** Folders of PATH in order. */
  readonly path: readonly string[];
  /** Without one, npm installs without the Node that it would fetch. */
  readonly hasNetwork: boolean;
  /** Servers of others that the page may use, and the variables with which they are found. */
  readonly servers?: readonly OtherServer[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A reader who finds these programs. Everything that a page starts ends with the test. */
export async function openReader(options: ReaderOptions): Promise<Reader> {
  const home = temporaryFolder();
  const folder = join(home, 'work');
  const outputs = join(home, 'outputs');
  for (const each of [folder, outputs, join(home, '.config/torc')]) mkdirSync(each, { recursive: true });
  const port = await freePort();
  const settings = [`[server]`, `port = ${port}`, '[client]', `api_url = "http://localhost:${port}${BASE_PATH}"`];
  writeFileSync(join(home, '.config/torc/config.toml'), `${settings.join('\n')}\n`);
  const shell = spawn('bash', ['--norc', '--noprofile', '-c', SHELL], {
    cwd: folder,
    env: environmentOf(home, outputs, options),
    stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
  });
  onTestFinished(async () => void (await endProcessesWith('HOME', home)));
  return { folder, type: typing(shell, outputs) };
}

function environmentOf(
  home: string,
  outputs: string,
  { path, hasNetwork, environment = {} }: ReaderOptions,
): Record<string, string | undefined> {
  const { npm_config_cache: cache, npm_config_userconfig: settings, SLURM_CONF, HOME = '/root' } = process.env;
  return {
    HOME: home,
    USER: 'ada',
    LANG: 'C.UTF-8',
    ...(SLURM_CONF === undefined ? {} : { SLURM_CONF }),
    PATH: [join(home, 'npm/bin'), ...path].join(':'),
    READER_OUTPUT: outputs,
    XDG_CONFIG_HOME: join(home, '.config'),
    // `npm install --global` installs for this reader alone, with the registry and the cache of the user who runs the tests.
    ...(hasNetwork
      ? { npm_config_prefer_offline: 'true' }
      : { npm_config_offline: 'true', npm_config_omit: 'optional' }),
    ...environment,
    npm_config_prefix: join(home, 'npm'),
    npm_config_cache: cache ?? join(HOME, '.npm'),
    npm_config_userconfig: settings ?? join(HOME, '.npmrc'),
  };
}

function typing(shell: ChildProcess, outputs: string): Reader['type'] {
  let number = 0;
  let reports = '';
  const [, , , commands, codes] = shell.stdio;
  (codes as NodeJS.ReadableStream).on('data', (text) => (reports += String(text)));
  return (command) => {
    number += 1;
    const index = number;
    const file = join(outputs, String(index));
    (commands as NodeJS.WritableStream).write(`${command}\0`);
    const code = () => reports.split('\n').slice(0, -1)[index - 1];
    const output = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
    return {
      output,
      ended: until(
        () => code() ?? (shell.exitCode === null ? undefined : `${shell.exitCode}`),
        (seen) => seen !== undefined,
        `the end of: ${command}`,
        PATIENCE_MS,
      ).then(Number),
      interrupt: async () => {
        const group = await until(
          () => foregroundGroup(shell.pid as number),
          (seen) => seen !== undefined,
          `a program in the foreground: ${command}`,
          PATIENCE_MS,
        );
        process.kill(-(group as number), 'SIGINT');
      },
    };
  };
}

/** The process group of the youngest child of the shell. */
function foregroundGroup(shell: number): number | undefined {
  const children = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim();
  const youngest = children.split(' ').at(-1);
  if (youngest === undefined || youngest === '') return undefined;
  const afterName = readFileSync(`/proc/${youngest}/stat`, 'utf8').split(') ').at(-1) as string;
  return Number(afterName.split(' ')[2]);
}

/** A port below those that the system gives to others, so that it is still free when the page starts its server. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, 'localhost', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** Writes a file that a page shows. */
export function writeShown(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
}
