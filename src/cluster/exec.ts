import { type ChildProcess, spawn } from 'node:child_process';
import { answered, type OnOutput } from './answering.ts';
import { endOfWords, HelperFailed } from './helper-failed.ts';
import { fileOn } from './program-on.ts';
import { asUser } from './umask.ts';

/** The only module that starts helper programs. Arguments are a list and never pass through a shell. */

/** A program that runs in parallel until it is stopped. */
export interface Companion {
  readonly pid: number | undefined;
  /** Resolves with its end when it has ended. */
  readonly ended: Promise<End>;
  /** Writes to its standard input; lost if it has ended. */
  write(text: string): void;
  /** Closes its standard input, at which some programs end. */
  endInput(): void;
  signal(signal: NodeJS.Signals): void;
  /** Lets it go on without us: it keeps us from ending no longer, and what it prints is not read any more. */
  release(): void;
}

export interface CompanionOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onLine: (line: string) => void;
  readonly onErrorLine: (line: string) => void;
}

/**
 * Starts a program in its own session, so that a key pressed on our terminal does not end it.
 *
 * Throws the system's error if it cannot be started.
 */
export async function startCompanion(
  program: string,
  args: readonly string[],
  { environment, onLine, onErrorLine }: CompanionOptions,
): Promise<Companion> {
  const path = pathOf(program, environment);
  if (path === undefined) throw Object.assign(new Error(`spawn ${program} ENOENT`), { code: 'ENOENT' });
  const child: ChildProcess = asUser(() =>
    spawn(path, args, { argv0: program, stdio: ['pipe', 'pipe', 'pipe'], env: environment, detached: true }),
  );
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  // Loaded here: a run without companions does without it, which saves 2 ms of its start.
  const { createInterface } = process.getBuiltinModule('node:readline');
  if (child.stdout) createInterface({ input: child.stdout }).on('line', onLine);
  if (child.stderr) createInterface({ input: child.stderr }).on('line', onErrorLine);
  return {
    pid: child.pid,
    ended: exitOf(child),
    write: (text) => void child.stdin?.write(text),
    endInput: () => void child.stdin?.end(),
    signal: (signal) => void child.kill(signal),
    release() {
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      child.unref();
    },
  };
}

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * How long the output of an ended program is still read. Its own output is already in the pipe and is read within a few
 * milliseconds. The pipe stays open longer only if a process that it left holds it.
 */
const HELD_MS = 250;

/** Resolves when a program has ended and its output is read, also when a process that it left holds its pipes. */
function exitOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
    child.once('exit', () => closeWhenQuiet(child));
  });
}

/** Closes our ends of its pipes when no more data arrives, so that `close` is emitted. */
function closeWhenQuiet(child: ChildProcess): void {
  const pipes = [child.stdout, child.stderr].filter((pipe) => pipe !== null);
  let isQuiet = false;
  for (const pipe of pipes) pipe.on('data', () => (isQuiet = false));
  const look = () => {
    isQuiet = true;
    // After the pipes were polled: a blocked event loop would not have read them yet.
    setTimeout(() => setImmediate(() => (isQuiet ? pipes.forEach((pipe) => pipe.destroy()) : look())), HELD_MS).unref();
  };
  look();
}

/** A program that continues after we exit. */
export interface Detached {
  readonly pid: number | undefined;
  /** The message that it sent when it was ready, or undefined if it ended before. */
  readonly reported: Promise<unknown>;
  /** Removes every reference that keeps our process running. */
  release(): void;
}

/** Starts a program in its own session; its output goes to an open file. It sends one message with `process.send`. */
export function startDetached(program: string, args: readonly string[], outputFd: number): Detached {
  const child = asUser(() => spawn(program, args, { stdio: ['ignore', outputFd, outputFd, 'ipc'], detached: true }));
  return {
    pid: child.pid,
    reported: new Promise((resolve, reject) => {
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

/**
 * Starts a program for the user in its own session, and neither waits for it nor reads what it prints. Throws
 * `HelperFailed` if it cannot be started.
 */
export async function startAside(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const path = pathOf(program, environment);
  if (path === undefined) throw notStarted(program, args, { isMissing: true });
  const child = asUser(() => spawn(path, args, { argv0: program, stdio: 'ignore', env: environment, detached: true }));
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', ({ message }) => reject(notStarted(program, args, { isMissing: false, message })));
  });
  child.on('error', () => {});
  child.unref();
}

/** How a program ended, and what it printed. */
export interface Outcome extends End {
  /** Empty if it was written to a file. */
  readonly stdout: string;
  readonly stderr: string;
  /** It did not end within its time limit, and was killed. */
  readonly isLate: boolean;
  /** It printed more than is read, and was killed. */
  readonly isTooMuch: boolean;
}

/**
 * The most that is read of each stream of a program. A line of sacct has 400 bytes; scancel that asks on a closed input prints for ever,
 * and would fill the memory of an allocation.
 */
const MOST_BYTES = 2 ** 26;

export interface HelperOptions {
  readonly atMostMs: number;
  /** The most that is read of its output; the default is 64 MiB. */
  readonly atMostBytes?: number | undefined;
  /** All of its variables; without them it gets ours. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Its standard input; without it the input is empty. */
  readonly input?: string | undefined;
  /** Gets its standard output as it comes, which is not kept then, and answers on its input. An error that it throws ends the program. */
  readonly onOutput?: OnOutput | undefined;
  /** Ends the program as its time limit does. */
  readonly ends?: AbortSignal | undefined;
}

/**
 * Runs a program to its end.
 *
 * The program gets its own process group. At the time limit the whole group is killed, so a wrapper script that waits
 * for the real program does not block us. Throws `HelperFailed` if it cannot be started.
 */
export async function runToEnd(
  program: string,
  args: readonly string[],
  { atMostMs, atMostBytes = MOST_BYTES, environment = process.env, input, onOutput, ends }: HelperOptions,
): Promise<Outcome> {
  // Starting a process to learn that costs 2 ms, and a node without cards would start six of them for a sample.
  const path = pathOf(program, environment);
  if (path === undefined) throw notStarted(program, args, { isMissing: true });
  // sbatch passes its umask on to the jobs of the allocation.
  const child: ChildProcess = asUser(() =>
    spawn(path, args, {
      argv0: program,
      stdio: [input === undefined && onOutput === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
      env: environment,
    }),
  );
  let isTooMuch = false;
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const close = () => [child.stdout, child.stderr].forEach((stream) => stream?.destroy());
  const gather = (stream: ChildProcess['stdout']) => {
    const gathered = { text: '' };
    stream?.setEncoding('utf8').on('data', (text: string) => {
      gathered.text += text;
      if (gathered.text.length <= atMostBytes || isTooMuch) return;
      // What a process that it left prints is no fault of its own.
      isTooMuch = isRunning();
      if (isTooMuch) killGroup(child.pid);
      close();
    });
    return gathered;
  };
  const [out, err] = [onOutput === undefined ? gather(child.stdout) : { text: '' }, gather(child.stderr)];
  // A program that ends without reading its input is not an error.
  child.stdin?.on('error', () => {});
  let isLate = false;
  const stop = () => {
    isLate = isRunning();
    if (isLate) killGroup(child.pid);
    close();
  };
  if (onOutput === undefined) child.stdin?.end(input);
  const failure = onOutput && answered(child, onOutput, stop);
  ends?.addEventListener('abort', stop);
  // The longest delay of a timer of the runtime.
  const limit = setTimeout(stop, Math.min(2 ** 31 - 1, atMostMs));
  try {
    const end = await Promise.race([new Promise<Error>((resolve) => void child.once('error', resolve)), exitOf(child)]);
    if (end instanceof Error) {
      const { code, message } = end as NodeJS.ErrnoException;
      throw notStarted(program, args, { isMissing: code === 'ENOENT', message });
    }
    if (failure?.error !== undefined) throw failure.error;
    return { ...end, stdout: out.text, stderr: err.text, isLate, isTooMuch };
  } finally {
    clearTimeout(limit);
    ends?.removeEventListener('abort', stop);
  }
}

/** Runs a program that has the standard streams of this process, such as a terminal, in the foreground, to its end. */
export async function runInForeground(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<End> {
  const path = pathOf(program, environment);
  if (path === undefined) throw Object.assign(new Error(`spawn ${program} ENOENT`), { code: 'ENOENT' });
  const child = asUser(() => spawn(path, args, { argv0: program, stdio: 'inherit', env: environment }));
  return Promise.race([new Promise<never>((_, reject) => void child.once('error', reject)), exitOf(child)]);
}

/**
 * The program in a folder on PATH, but for relative ones; undefined if none has a file of this name. A file that cannot be started is
 * left to the system, which says why. So is a missing PATH, for which it has one of its own.
 */
const pathOf = (program: string, { PATH }: Readonly<Record<string, string | undefined>>): string | undefined =>
  program.includes('/') || PATH === undefined ? program : fileOn(PATH, program);

function notStarted(
  program: string,
  args: readonly string[],
  { isMissing, message = '' }: { readonly isMissing: boolean; readonly message?: string },
): HelperFailed {
  const where = program.includes('/') ? `there is no program ${program}` : `there is no ${program} on PATH`;
  return new HelperFailed(`${commandText(program, args)}: ${isMissing ? where : message}`, { isMissing });
}

const commandText = (program: string, args: readonly string[]) => [program, ...args].join(' ');

/**
 * Runs a program to its end, as `runToEnd`, and returns its standard output. Throws `HelperFailed` if it reports an
 * error, too.
 */
export async function runHelper(program: string, args: readonly string[], options: HelperOptions): Promise<string> {
  const { code, signal, stdout, stderr, isLate, isTooMuch } = await runToEnd(program, args, options);
  if (code === 0 && !isLate && !isTooMuch) return stdout;
  const how = isTooMuch
    ? `it was killed because it printed more than ${(options.atMostBytes ?? MOST_BYTES) / 2 ** 20} MiB: ask for fewer jobs, or a shorter time`
    : isLate
      ? `it was killed after ${options.atMostMs / 1000} s, its time limit`
      : `it ended with ${signal ?? `exit code ${code}`}`;
  const words = stderr.trim();
  throw new HelperFailed(`${commandText(program, args)}: ${how}${words === '' ? '' : `: ${endOfWords(words)}`}`, {
    isLate: isLate || isTooMuch,
    signal: signal ?? undefined,
    stderr: words,
  });
}

/** Kills a program that has not been waited for, with all processes in its process group. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}
