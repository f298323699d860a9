/** The words were wrong: said on standard error, exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Something was wrong that a sentence explains: said on standard error, exit code 1 unless said. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, options: { readonly exitCode?: number; readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'Failure';
    this.exitCode = options.exitCode ?? 1;
  }
}
