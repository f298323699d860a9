import type { Context } from './context.ts';
import type { Option, Values } from './option.ts';

/**
 * One command: its words, its help, its options and arguments, and a function that calls the client and passes the
 * reply to `output`.
 */
export interface Command {
  /** `jobs list [workflow]`: the words, then its arguments as commander reads them. */
  readonly words: string;
  readonly says: string;
  /** More than a sentence, for its help. */
  readonly more?: string;
  readonly options?: readonly Option[];
  /** Accepts unknown words after `--`. */
  readonly trailing?: boolean;
  /** The command of its program if no command is named. */
  readonly isDefault?: boolean;
  /** Its first argument is the URL of the service. */
  readonly namesService?: boolean;
  /** The database of its standalone server may be kept in memory. */
  readonly inMemory?: boolean;
  /** Runs despite an invalid configuration, without using it. */
  readonly ignoresConfiguration?: boolean;
  /** Needs no server; `--standalone` has no effect. */
  readonly offline?: boolean;
  readonly run: (
    context: Context,
    args: readonly (string | readonly string[] | undefined)[],
    options: Values,
  ) => Promise<void>;
}
