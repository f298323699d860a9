/** A launch: a command line for bash, with its additions to the runner's environment. */
export interface LaunchRequest {
  readonly script: string;
  /** What is started instead of bash: the path of a program, and its words, of which the first is its own name. */
  readonly program?: { readonly path: string; readonly words: readonly string[] } | undefined;
  /** Variables of the runner that the process does not get. */
  readonly without?: ReadonlySet<string> | undefined;
  /** Variables for this process alone; they replace the runner's. */
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** File for standard output; undefined discards it. */
  readonly stdout: string | undefined;
  /** File for standard error; `stdout` appends it to standard output in order, undefined discards it. */
  readonly stderr: string | undefined;
  /** The CPUs to which the process and its descendants are bound; undefined: those of the launcher. */
  readonly cpus?: readonly number[] | undefined;
}

/** The end of a process, as reported by the kernel. */
export interface ProcessEnd {
  readonly pid: number;
  readonly exitCode: number | undefined;
  readonly signal: number | undefined;
  /**
   * User and system time of the process and all its descendants that it waited for. Undefined if the launcher cannot
   * measure it.
   */
  readonly cpuSeconds: number | undefined;
  /** Largest resident size of any one of them. Undefined if it cannot be distinguished from the runner's own. */
  readonly peakBytes: number | undefined;
}

/**
 * Starts jobs and reports their ends.
 *
 * A job is `bash -c`, the program that bash would become at once, or the program of its request, in its own session and process group, with default signal dispositions, empty standard input and
 * files, not pipes, for its output. The job has started when `launch` returns.
 */
export interface Launcher {
  readonly name: 'posix_spawn' | 'child_process';
  /** The process id. Throws `LaunchError`. */
  launch(request: LaunchRequest): number;
  /** Stops reporting ends. */
  close(): void;
}

/** Why a job could not be started. */
export class LaunchError extends Error {
  /** The system's name of the error: `ENOENT`, `EAGAIN`, `E2BIG` … */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'LaunchError';
    this.code = code;
  }

  /** Whether it is the job's own: its command is too long, or a link, a named pipe or a folder stands in the place of its output. */
  get isOfJob(): boolean {
    return OF_JOB.has(this.code);
  }

  /** Whether a launch can succeed later, when other processes have ended. */
  get isPassing(): boolean {
    return this.code === 'EAGAIN' || this.code === 'ENOMEM' || this.code === 'EMFILE' || this.code === 'ENFILE';
  }
}

const OF_JOB: ReadonlySet<string> = new Set(['E2BIG', 'ELOOP', 'ENXIO', 'EISDIR']);
