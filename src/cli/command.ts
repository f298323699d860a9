import type { Context } from './context.ts';
import type { Option, Values } from './option.ts';

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
  /** May keep the database of its standalone server in memory. */
  readonly inMemory?: boolean;
  /** Runs in spite of a configuration that is wrong, and without it. */
  readonly ignoresConfiguration?: boolean;
  /** Needs no server; `--standalone` has no effect. */
  readonly offline?: boolean;
  readonly run: (
    context: Context,
    args: readonly (string | readonly string[] | undefined)[],
    options: Values,
  ) => Promise<void>;
}
