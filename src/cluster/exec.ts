import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * The one door for helper programs. Arguments are a list and never become a shell's line.
 */

/** A program that runs beside us for as long as we want it. */
export interface Companion {
  readonly pid: number | undefined;
  /** Resolves when it has ended, with how. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Closes its standard input, which some programs take as the word to end. */
  endInput(): void;
  signal(signal: NodeJS.Signals): void;
}

export interface CompanionOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onLine: (line: string) => void;
  readonly onErrorLine: (line: string) => void;
}

/**
 * Starts a program in a session of its own, so that a key pressed on our terminal does not end it.
 *
 * Throws when it cannot be started, with the system's words.
 */
export async function startCompanion(
  program: string,
  args: readonly string[],
  { environment, onLine, onErrorLine }: CompanionOptions,
): Promise<Companion> {
  const child: ChildProcess = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: environment,
    detached: true,
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  if (child.stdout) createInterface({ input: child.stdout }).on('line', onLine);
  if (child.stderr) createInterface({ input: child.stderr }).on('line', onErrorLine);
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid,
    ended,
    endInput: () => void child.stdin?.end(),
    signal: (signal) => void child.kill(signal),
  };
}

/** A program that goes on when we have ended. */
export interface Detached {
  readonly pid: number | undefined;
  /** What it told us when it was ready, or undefined when it ended before. */
  readonly told: Promise<unknown>;
  /** Lets it go: nothing of it keeps us from ending. */
  release(): void;
}

/** Starts a program in a session of its own; what it prints goes to an open file. It tells us one thing by `process.send`. */
export function startDetached(program: string, args: readonly string[], outputFd: number): Detached {
  const child = spawn(program, args, { stdio: ['ignore', outputFd, outputFd, 'ipc'], detached: true });
  return {
    pid: child.pid,
    told: new Promise((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', () => resolve(undefined));
      child.once('error', reject);
    }),
    release() {
      if (child.connected) child.disconnect();
      child.unref();
    },
  };
}

/** A helper program did not do what it was asked: it is missing, was too slow, or said no. Its own words are in the message. */
export class HelperFailed extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'HelperFailed';
  }
}

/** Runs a program to its end and gives its standard output. Throws `HelperFailed`. */
export async function runHelper(
  program: string,
  args: readonly string[],
  { atMostMs }: { readonly atMostMs: number },
): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: atMostMs, killSignal: 'SIGKILL' });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const how = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(code === 0 ? undefined : `it ended with ${signal ?? `exit code ${code}`}`),
    );
  });
  if (how === undefined) return out;
  throw new HelperFailed(`${program} ${args.join(' ')}: ${how}${err.trim() === '' ? '' : `: ${err.trim()}`}`);
}
