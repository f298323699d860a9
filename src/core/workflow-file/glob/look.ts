/** How patterns of paths find files. */
export interface LookAtFiles {
  /** The names in a folder; throws if it cannot be read. */
  readonly listFolder: (path: string) => readonly string[];
  readonly fileExists: (path: string) => boolean;
}

/** The files of a pattern: the values that they give its parameters, one row a file. */
export interface GlobMatch {
  readonly glob: string;
  readonly parameters: readonly string[];
  readonly rows: readonly (readonly string[])[];
}
