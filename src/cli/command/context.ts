import type { Client } from '../../client/client.ts';
import type { Connection } from '../../client/node/connect.ts';
import type { Configuration } from '../config/schema.ts';
import type { Output } from '../output/output.ts';
import type { Option } from './option.ts';
import type { Settings } from './settings.ts';

/** A service that a command may use. */
export interface Service {
  readonly client: Client;
  readonly connection: Connection;
  /** Without a login. */
  readonly url: string;
  readonly user: string;
  /** What this command logs in with; undefined without a login. */
  readonly password: string | undefined;
  /**
   * Variables with which the jobs of a workflow reach it: with the login of the user, or on a server with a credential with
   * a token that may do what jobs do.
   */
  jobVariables(workflowId: number): readonly (readonly [string, string])[];
}

/** What a command printed, and its exit code. */
export interface Printed {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The services of the program for a command. */
export interface Context {
  readonly settings: Settings;
  readonly configuration: Configuration;
  readonly output: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The service: connected, or started for this command. */
  service(): Promise<Service>;
  /**
   * A command, or a sentence with commands, that is suggested to the person: with the options that reach the same server,
   * and behind it those of `repeated` that were given to this command.
   */
  hint(command: string, repeated?: readonly Option[]): string;
  /** Runs another command of `torc` in this process. It must be one that prints through its `Output` alone. */
  torc(argv: readonly string[]): Promise<Printed>;
  /** Sets the exit code of the program, which continues. */
  exitWith(code: number): void;
}

export interface OpenContext extends Context {
  readonly exitCode: number;
  close(): Promise<void>;
}
