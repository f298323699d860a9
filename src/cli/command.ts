import type { Context } from './context.ts';

/** An option of a command, as data: help, completion and the reference page are made from it. */
export interface Option {
  /** As commander reads it: `-l, --limit <n>`. */
  readonly flags: string;
  readonly says: string;
  readonly default?: string | number | boolean;
  /** What the text means; throws `UsageError`. */
  readonly read?: (text: string) => unknown;
  /** May be given several times; the values become a list. */
  readonly many?: boolean;
  readonly choices?: readonly string[];
}

export type Values = Readonly<Record<string, unknown>>;

/** One command: its words, what it says of itself, what it takes, and a few lines that ask the client and hand the answer to `output`. */
export interface Command {
  /** `jobs list [workflow]`: the words, then its arguments as commander reads them. */
  readonly words: string;
  readonly says: string;
  /** More than a sentence, for its help. */
  readonly more?: string;
  readonly options?: readonly Option[];
  /** Takes words that it does not know, behind `--`. */
  readonly trailing?: boolean;
  /** What its program does when no command is named. */
  readonly isDefault?: boolean;
  /** Its first argument is the URL of the service. */
  readonly namesService?: boolean;
  /** Needs no server; `--standalone` has no effect. */
  readonly offline?: boolean;
  readonly run: (
    context: Context,
    args: readonly (string | readonly string[] | undefined)[],
    options: Values,
  ) => Promise<void>;
}

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

export const integer =
  (name: string, least = Number.MIN_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^[+-]?\d+$/.test(text.trim()) || !Number.isSafeInteger(value))
      throw new UsageError(`${name}: expected a whole number, found "${text}"`);
    if (value < least) throw new UsageError(`${name}: expected ${least} or more, found ${text}`);
    return value;
  };

export const number =
  (name: string, least = -Infinity) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value))
      throw new UsageError(`${name}: expected a number, found "${text}"`);
    if (value < least) throw new UsageError(`${name}: expected ${least} or more, found ${text}`);
    return value;
  };
