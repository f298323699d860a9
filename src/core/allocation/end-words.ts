/** How the script of an allocation ended, as the batch system has it. */
export interface ScriptEnd {
  /** Its own word: `FAILED`, `CANCELLED by 1000`. */
  readonly word: string;
  /** Undefined where only the word is known. */
  readonly exitCode?: number | undefined;
  readonly signal?: number | undefined;
}

/**
 * The signal that Slurm gives for a script whose output it could not open on the node: there is no such signal, and no file that would say
 * more. Its number is that of an error of slurmd.
 */
const NO_OUTPUT = 53;

/** `FAILED, exit code 127`; with what a person cannot know from the number. */
export function scriptEndWords({ word, exitCode = 0, signal = 0 }: ScriptEnd): string {
  if (signal === NO_OUTPUT && exitCode === 0)
    return `${word} 0:${signal}: Slurm could not open its output file on the node; its folder is missing there, or it may not be written`;
  if (signal > 0) return `${word}, signal ${signal}`;
  return exitCode > 0 ? `${word}, exit code ${exitCode}` : word;
}
