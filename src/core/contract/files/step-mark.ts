import { type Asked, askedBy, type SeenSignal } from '../../lifecycle/asked-to-end.ts';

/**
 * The mark of a step of Slurm: a file that the shell around its command writes, on the node of the step.
 *
 * ```
 * began
 * CONT ends 12
 * TERM handled 12
 * ended 0 13
 * ```
 *
 * A line for each signal that reached the shell, as it came: whether the command's first process `handled` it, would be ended
 * by it (`ends`), or was `gone`. The last line has the exit code. Numbers at the end of lines are seconds since the begin.
 * On a full disk the file is empty: then it says only that the step began.
 */

export interface Mark {
  readonly began: boolean;
  /** Undefined until the command has ended. */
  readonly code: number | undefined;
  /** Seconds from the begin to the end, whole ones. */
  readonly seconds: number | undefined;
  /** Undefined if nothing asked it to end before it ended. */
  readonly asked: Asked | undefined;
}

export const NO_MARK: Mark = { began: false, code: undefined, seconds: undefined, asked: undefined };

/** Reads a mark; a line that was cut off is passed over. */
export function parseMark(text: string): Mark {
  const signals: SeenSignal[] = [];
  for (const line of text.split('\n')) {
    const [, code, at] = /^ended (\d+) (\d+)$/.exec(line) ?? [];
    if (code !== undefined) {
      const seconds = Number(at);
      return { began: true, code: Number(code), seconds, asked: askedBy(signals, seconds) };
    }
    const [, name, how, seen] = /^([A-Z0-9]+) (handled|ends|gone) (\d+)$/.exec(line) ?? [];
    if (name !== undefined)
      signals.push({ name, isHandled: how === 'gone' ? undefined : how === 'handled', atSeconds: Number(seen) });
  }
  return { ...NO_MARK, began: true, asked: askedBy(signals, signals.at(-1)?.atSeconds ?? 0) };
}

/** The folder of the marks of a runner in an allocation, within the output directory. */
export const markFolderOf = (workflowId: number, slurmJobId: number, pid: number): string =>
  `${MARKS}_wf${workflowId}_sl${slurmJobId}_p${pid}`;

/** Whether this is a folder of marks of that allocation. */
export const isMarkFolderOf = (name: string, workflowId: number, slurmJobId: number): boolean =>
  name.startsWith(`${MARKS}_wf${workflowId}_sl${slurmJobId}_p`);

const MARKS = 'job_runner_steps';
