import type * as z from 'zod';
import type { Client } from '../client/client.ts';
import type { ExplainOptions } from '../operations/explain/explain.ts';

/** The JSON that a command of `torc` printed, and the messages beside it. */
export type CommandReply = Readonly<Record<string, unknown>>;

/** What the tools work with. */
export interface Backend {
  /** The server; connected by the first tool that needs it. */
  readonly client: () => Promise<Client>;
  /** Runs a command of `torc` for the same server and reads its JSON. Throws `CommandFailed`. */
  readonly command: (...argv: string[]) => Promise<CommandReply>;
  /** The commands in a text, with the options that reach the same server. */
  readonly hint: (text: string) => string;
  /**
   * The output folder of the runs on this machine. Undefined for callers over HTTP: files and programs of this machine are not
   * theirs, so they get no tool that needs them, and the server reads what jobs wrote as far as its settings allow.
   */
  readonly outputDir: string | undefined;
  /** The owner of new workflows; undefined where the caller has no login. */
  readonly user: string | undefined;
  /** The maximum number of jobs of a workflow file; undefined for the default. */
  readonly maxJobs: number | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The partitions of the site, if one is known; undefined where the machine is none of the caller's. */
  readonly partitions: ExplainOptions['partitions'];
  readonly docsDir: string;
  readonly examplesDir: string;
}

/**
 * What a call does to the workflow: nothing; it adds a record or a file; it sets values, and the same call again changes nothing
 * more; or it makes jobs run again, which removes their results.
 */
export type Effect = 'reads' | 'adds' | 'sets' | 'resets';

export interface Tool {
  readonly name: string;
  readonly says: string;
  readonly effect: Effect;
  /** It reads files or starts programs of the machine where the workflow runs. */
  readonly needsMachine?: true;
  readonly input: z.ZodObject;
  /** How to ask for what a long reply leaves out. */
  readonly more: string;
  readonly run: (given: never, backend: Backend) => Promise<unknown>;
}

/** The output folder, for a tool that needs this machine. */
export function folderOf({ outputDir }: Pick<Backend, 'outputDir'>): string {
  if (outputDir === undefined) throw new Error('a tool that needs this machine was offered without it');
  return outputDir;
}

/** A tool of which the parameters have the type that its schema describes. */
export const tool = <Input extends z.ZodObject>(
  name: string,
  table: Omit<Tool, 'name' | 'input' | 'run'> & {
    readonly input: Input;
    readonly run: (given: z.output<Input>, backend: Backend) => Promise<unknown>;
  },
): Tool => ({ name, ...table });

/** The hints of the protocol, by which a client decides whether it asks its user first. */
export const hintsOf = (effect: Effect) => ({
  readOnlyHint: effect === 'reads',
  destructiveHint: effect === 'resets',
  idempotentHint: effect === 'reads' || effect === 'sets',
  openWorldHint: false,
});

/** A command that ended with another exit code than 0. */
export class CommandFailed extends Error {
  readonly reply: CommandReply | undefined;

  constructor(message: string, reply: CommandReply | undefined) {
    super(message);
    this.name = 'CommandFailed';
    this.reply = reply;
  }
}
