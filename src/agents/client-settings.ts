/** Settings of clients, to be pasted: how they start this server. */
export interface StartedAs {
  readonly command: string;
  readonly args: readonly string[];
}

/** For the file `.mcp.json` of a project, and other clients with an object `mcpServers`; then the form with `servers`. */
export const clientSettings = (start: StartedAs) => ({
  mcpServers: { torc: start },
  servers: { torc: { type: 'stdio', ...start } },
});

/** The arguments of a call with --print-config for the settings: a password belongs into the environment, not into a file. */
export const argumentsToPaste = (argv: readonly string[]): string[] =>
  argv.filter(
    (word, index) => word !== '--print-config' && !/^--password(?:=|$)/.test(word) && argv[index - 1] !== '--password',
  );
