/** How patterns of paths find files. */
export interface LookAtFiles {
  /** The names in a folder; throws if it cannot be read. */
  readonly listFolder: (path: string) => readonly string[];
  readonly fileExists: (path: string) => boolean;
}

/** The files of a pattern: the values that they give a parameter. */
export interface GlobMatch {
  readonly glob: string;
  readonly parameter: string;
  readonly values: readonly string[];
}
