import type { Context } from './context.ts';
import type { KindName } from './kinds.ts';
import type { Option, Values, ValuesOf } from './option.ts';

/** The help of a command, and its options. */
interface CommandTable<Options extends readonly Option[]> {
  readonly says: string;
  /** More than a sentence, for its help. */
  readonly more?: string;
  /** What follows its words in the example of its help, where the kinds of its arguments are not enough. */
  readonly example?: string;
  /** Kinds of its arguments, where their names do not say them. */
  readonly kinds?: Readonly<Record<string, KindName>>;
  readonly options?: Options;
  /** Accepts unknown words after `--`. */
  readonly trailing?: boolean;
  /** The command of its program if no command is named. */
  readonly isDefault?: boolean;
  /** Its first argument is the URL of the service. */
  readonly namesService?: boolean;
  /** The database of its standalone server may be kept in memory. */
  readonly inMemory?: boolean;
  /**
   * Makes the standalone database where it is missing, unless it is a dry run; without it the command is refused there. With a
   * function its first argument decides.
   */
  readonly makesDatabase?: boolean | ((first: string) => boolean);
  /** Runs despite an invalid configuration, without using it. */
  readonly ignoresConfiguration?: boolean;
  /** Needs no server; `--standalone` has no effect. */
  readonly offline?: boolean;
}

/** A command of any options, for what reads the table of all commands. `command` makes one. */
export interface Command extends CommandTable<readonly Option[]> {
  /** `jobs list [workflow]`: the words, then its arguments as commander reads them. */
  readonly words: string;
  readonly run: (
    context: Context,
    args: readonly (string | readonly string[] | undefined)[],
    options: Values,
  ) => Promise<void>;
}

/** Commands with the same first word, and with the same second one if `verb` is given. */
export interface CommandGroup {
  readonly word: string;
  readonly verb?: string;
  /** Meant where no command is named. */
  readonly isDefault?: boolean;
  readonly load: () => Promise<readonly Command[]>;
}

/** The arguments that `words` declares: `<job>` is text, `[workflow]` may be absent, `<job...>` is a list. */
type ArgumentsOf<Words extends string> = Words extends `${string} ${infer Rest}`
  ? Rest extends `<${infer Name}>${string}`
    ? [Name extends `${string}...` ? readonly string[] : string, ...ArgumentsOf<Rest>]
    : Rest extends `[${infer Name}]${string}`
      ? [(Name extends `${string}...` ? readonly string[] : string) | undefined, ...ArgumentsOf<Rest>]
      : ArgumentsOf<Rest>
  : [];

/** What a command does, with the arguments and the values of the options that it declares. */
type Run<Words extends string, Options extends readonly Option[]> = (
  context: Context,
  args: ArgumentsOf<Words>,
  options: ValuesOf<Options>,
) => Promise<void>;

type TypedCommand<Words extends string, Options extends readonly Option[]> = CommandTable<Options> &
  (
    | { readonly run: Run<Words, Options> }
    /** Its function from a module of its own, which is loaded when the command runs, and not for help. */
    | { readonly load: () => Promise<Run<Words, Options>> }
  );

/**
 * One command: its words, its help, its options and arguments, and a function that asks a use case and passes the reply
 * to `output`. The types of its arguments and of the values of its options are derived from its table.
 */
export const command = <const Words extends string, const Options extends readonly Option[] = readonly []>(
  words: Words,
  table: TypedCommand<Words, Options>,
): Command => {
  if ('run' in table) return { words, ...table } as unknown as Command;
  const { load, ...declared } = table;
  const run: Run<Words, Options> = async (...given) => (await load())(...given);
  return { words, ...declared, run } as unknown as Command;
};
