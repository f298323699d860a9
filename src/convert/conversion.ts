import type { ValueMap } from '../core/workflow-file/text/value.ts';

/**
 * What a converter makes of a file of another program: a workflow, and a report of everything that is not the same in it.
 *
 * A converter never drops something silently. What the workflow does in another way, with the same result, is a note; what
 * may change the result is left out, and the command then writes nothing unless it was asked for a part.
 */
export interface Conversion {
  readonly workflow: ValueMap;
  readonly notes: readonly Note[];
}

export interface Note {
  readonly file: string;
  /** 1 for the first line; undefined where the program that was asked reports no line. */
  readonly line?: number | undefined;
  /** What stands in the file. */
  readonly found: string;
  /** What the workflow does instead. */
  readonly instead: string;
  /** The result of the workflow may differ from that of the file. */
  readonly isLeftOut: boolean;
}

/** `at` is another file than the one that was asked for: one that it includes. */
type Remark = (found: string, instead: string, line?: number, at?: string) => void;

/** Collects the notes of one file, each once. */
export interface Report {
  /** Carried over in another way; the result is the same. */
  readonly note: Remark;
  /** Not carried over; the result may differ. */
  readonly leaveOut: Remark;
  readonly notes: readonly Note[];
}

export function reportOf(file: string): Report {
  const notes = new Map<string, Note>();
  const add =
    (isLeftOut: boolean): Remark =>
    (found, instead, line, at = file) => {
      const note: Note = { file: at, line, found, instead, isLeftOut };
      const key = JSON.stringify(note);
      if (!notes.has(key)) notes.set(key, note);
    };
  return {
    note: add(false),
    leaveOut: add(true),
    get notes() {
      return [...notes.values()].toSorted((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || 0);
    },
  };
}

/** `Makefile:12: left out: …`, as compilers report places. */
export const noteText = ({ file, line, found, instead, isLeftOut }: Note): string =>
  `${file}${line === undefined ? '' : `:${line}`}: ${isLeftOut ? 'left out' : 'note'}: ${found}: ${instead}`;

/** The report as comments of a workflow file, for readers of the file, who did not see the report. */
export const reportComments = ({ notes }: Conversion): string =>
  notes.map((note) => `# ${noteText(note).replaceAll('\n', '\n#   ')}\n`).join('');

export const leavesOut = ({ notes }: Conversion): boolean => notes.some(({ isLeftOut }) => isLeftOut);

/** What Torc replaces in the command of a job with paths, as `${output.bam}`; programs may mean something else by it. */
export const pathTokenIn = (command: string): string | undefined => /\$\{(?:input|output)\.[^}]*\}/.exec(command)?.[0];
