import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { connect } from '../../src/client/node/connect.ts';
import { isInTest, whenFileIsOver, whenOver } from './over.ts';
import { programFolder } from './packed.ts';
import { processesWith } from './processes.ts';

/** The programs as people start them, in folders of their own. */

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when its output so far contains the text; rejects when it ends without. */
  says(text: string | RegExp): Promise<void>;
}

/** A folder that is removed when the test passed, and kept, by name, when it failed; one of all tests is removed. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'torc-test-'));
  if (!isInTest()) {
    whenOver(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }
  onTestFinished(({ task }) => {
    if (task.result?.state === 'pass') rmSync(folder, { recursive: true, force: true });
    else process.stderr.write(`kept: ${folder}\n`);
  });
  return folder;
}

interface StartOptions {
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** The program of the checkout in place of the package's: its modules are those of `src`. */
  readonly isFromSources?: boolean;
}

/** Starts a program of the package; it is killed when the test, or the file that started it for all, ends before it. */
export function start(
  program: 'torc' | 'torc-server' | 'torc-slurm-job-runner' | 'torc-htpasswd' | 'torc-mcp-server' | 'torc-dash',
  args: readonly string[],
  { cwd, environment, input, isFromSources = false }: StartOptions,
): Program {
  const folder = isFromSources ? join(import.meta.dirname, '../../bin') : programFolder();
  endStraysWithFile();
  const child = spawn(process.execPath, [join(folder, `${program}.mjs`), ...args], {
    cwd,
    env: { ...process.env, USER: 'tester', [MARK.name]: MARK.value, TORC_SHARE: ownShare(), ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input ?? '');
  let stdout = '';
  let stderr = '';
  const waiting: { text: string | RegExp; resolve: () => void }[] = [];
  const has = (text: string | RegExp) =>
    typeof text === 'string' ? (stdout + stderr).includes(text) : text.test(stdout + stderr);
  const look = () => {
    for (const each of waiting.filter(({ text }) => has(text))) {
      waiting.splice(waiting.indexOf(each), 1);
      each.resolve();
    }
  };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    look();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    look();
  });
  const ended = new Promise<Ended>((done) => {
    child.once('close', (code, signal) => done({ code, signal, stdout, stderr }));
  });
  whenOver(() => {
    child.kill('SIGKILL');
    return ended;
  });
  return {
    child,
    ended,
    says: (text) =>
      Promise.race([
        new Promise<void>((done) => {
          waiting.push({ text, resolve: done });
          look();
        }),
        ended.then(({ code, stdout: out, stderr: err }) => {
          if (!has(text)) throw new Error(`ended with ${code} and never said ${String(text)}:\n${out}\n${err}`);
        }),
      ]),
  };
}

/** A folder that the next program makes, if it shares the machine: with no other, because tests run beside each other. */
function ownShare(): string {
  if (shares === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'torc-shares-'));
    shares = made;
    whenFileIsOver(() => {
      shares = undefined;
      rmSync(made, { recursive: true, force: true });
    });
  }
  started += 1;
  return join(shares, `${started}`);
}
let shares: string | undefined;
let started = 0;

/**
 * All that programs of this process start has it. Jobs have sessions of their own, so that those of a runner that is killed go on:
 * one that waited for a file took 3 % of a core until the machine was switched off.
 */
export const MARK = { name: 'TEST_PROCESS', value: randomUUID() };
let endsStrays = false;

function endStraysWithFile(): void {
  if (endsStrays) return;
  endsStrays = true;
  whenFileIsOver(async () => {
    endsStrays = false;
    await endProcessesWith(MARK.name, MARK.value);
  });
}

/** Ends every process that has this variable in its environment, also what one of them starts meanwhile. */
export const endProcessesWith = (name: string, value: string): Promise<number[]> =>
  until(
    () => {
      const pids = processesWith(name, value);
      for (const pid of pids) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
      }
      return pids;
    },
    (pids) => pids.length === 0,
    `the processes with ${name}=${value} to end`,
  );

/** Runs a program to its end. */
export async function torc(args: readonly string[], options: StartOptions): Promise<Ended> {
  return start('torc', args, options).ended;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly client: Client;
  readonly program: Program;
}

/** A server on a database file, on a port of its own or the one that is named. */
export async function startServer(
  cwd: string,
  {
    database = 'server.db',
    port = 0,
    more = [],
    environment = {},
  }: { database?: string; port?: number; more?: readonly string[]; environment?: StartOptions['environment'] } = {},
): Promise<RunningServer> {
  const program = start(
    'torc-server',
    ['run', '--host', '127.0.0.1', '--port', String(port), '--database', database, ...more],
    { cwd, environment },
  );
  let reported: number | undefined;
  program.child.stdout?.on('data', (text: string) => {
    reported ??= Number(/TORC_SERVER_PORT=(\d+)/.exec(text)?.[1] ?? Number.NaN);
  });
  await program.says('TORC_SERVER_PORT=');
  const url = `http://127.0.0.1:${reported}${BASE_PATH}`;
  const connection = connect({ url });
  whenOver(() => connection.close());
  return { url, port: reported as number, client: createClient(connection.send), program };
}

/** The pauses between two looks: at first, at most, and as a part of the time that has passed, so that a long wait takes few looks. */
const PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;
const PART = 0.1;

/** Waits until something holds, looking again now and then, and fails after a while with what it saw last. */
export async function until<T>(
  look: () => Promise<T> | T,
  holds: (seen: T) => boolean,
  what: string,
  atMostMs = 120_000,
): Promise<T> {
  const begunAt = Date.now();
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    const passedMs = Date.now() - begunAt;
    if (passedMs > atMostMs) throw new Error(`timed out waiting for ${what}; saw ${JSON.stringify(seen)}`);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, passedMs * PART));
    await new Promise((resolve) => void setTimeout(resolve, pauseMs));
  }
}
