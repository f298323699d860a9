/** What is started: a line for bash, with what it gets beyond the runner's own environment. */
export interface LaunchRequest {
  readonly script: string;
  /** Variables set for this process alone; they win over the runner's. */
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** File for standard output; undefined discards it. */
  readonly stdout: string | undefined;
  /** File for standard error; `stdout` joins the two in order, undefined discards it. */
  readonly stderr: string | undefined;
}

/** How a process ended, as the kernel told it. */
export interface Ending {
  readonly pid: number;
  readonly exitCode: number | undefined;
  readonly signal: number | undefined;
  /** User and system time of the process and all its descendants that it waited for. Undefined where the launcher cannot know. */
  readonly cpuSeconds: number | undefined;
  /** Largest resident size of any one of them. Undefined where it cannot be told from the runner's own. */
  readonly peakBytes: number | undefined;
}

/**
 * Starts jobs and tells of their ends.
 *
 * A job is `bash -c`, in a session and process group of its own, with default signal dispositions, nothing on standard
 * input and files, not pipes, for its output. The launch has happened when `launch` returns.
 */
export interface Launcher {
  readonly name: 'posix_spawn' | 'child_process';
  /** The process id. Throws `LaunchError`. */
  launch(request: LaunchRequest): number;
  /** Stops listening for ends. */
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

  /** Will it work later, when other processes have ended? */
  get isPassing(): boolean {
    return this.code === 'EAGAIN' || this.code === 'ENOMEM' || this.code === 'EMFILE' || this.code === 'ENFILE';
  }
}
