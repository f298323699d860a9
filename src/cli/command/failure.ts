/** Invalid arguments: reported on standard error, exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** An error with an explanation: reported on standard error, exit code 1 by default. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, options: { readonly exitCode?: number; readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'Failure';
    this.exitCode = options.exitCode ?? 1;
  }
}

/** Ctrl-C instead of an answer; the exit code is that of a program that SIGINT ends. */
export class Interrupted extends Failure {
  constructor() {
    super('stopped by Ctrl-C; nothing of what was asked about was done', { exitCode: 130 });
  }
}
