import { type AskedToEnd, askerOf, type SeenSignal } from './asked-to-end.ts';

/**
 * The mark of a step of Slurm: a file that the shell around its command writes, on the node of the step.
 *
 * ```
 * began
 * CONT 0000000000000004 0000000000014002 12
 * TERM 12
 * ended 0 13
 * ```
 *
 * A line for each signal that reached the shell, as it came, with the signals that the first process of the command ignored and
 * handled then (`SigIgn`, `SigCgt` of /proc), if it could be looked at. The last line has the exit code. The number at the end
 * of a line is in seconds since the begin. On a full disk the file is empty: then it says only that the step began.
 */

export interface Mark {
  readonly began: boolean;
  /** Undefined until the command has ended. */
  readonly code: number | undefined;
  /** Seconds from the begin to the end, whole ones. */
  readonly seconds: number | undefined;
  /** Undefined if nothing asked it to end before it ended. */
  readonly asked: AskedToEnd | undefined;
}

export const NO_MARK: Mark = { began: false, code: undefined, seconds: undefined, asked: undefined };

/** Reads a mark; a line that was cut off is passed over. What came behind the end does not count. */
export function parseMark(text: string): Mark {
  const signals: SeenSignal[] = [];
  for (const line of text.split('\n')) {
    const [, code, at] = /^ended (\d+) (\d+)$/.exec(line) ?? [];
    if (code !== undefined) {
      const seconds = Number(at);
      return { began: true, code: Number(code), seconds, asked: askerOf(signals, seconds) };
    }
    const [, name, masks, seen] = /^([A-Z0-9]+)((?: [0-9a-f]{16})*) (\d+)$/.exec(line) ?? [];
    if (name !== undefined) signals.push({ name, handled: handledIn(masks ?? ''), atSeconds: Number(seen) });
  }
  return { ...NO_MARK, began: true, asked: askerOf(signals, signals.at(-1)?.atSeconds ?? 0) };
}

/** Every process has both masks; one with fewer was gone. */
function handledIn(masks: string): bigint | undefined {
  const found = masks.trim().split(' ').filter(Boolean);
  return found.length < 2 ? undefined : found.reduce((all, mask) => all | BigInt(`0x${mask}`), 0n);
}

/** The folder of the marks of a runner in an allocation, within the output directory. */
export const markFolderOf = (workflowId: number, slurmJobId: number, pid: number): string =>
  `${MARKS}_wf${workflowId}_sl${slurmJobId}_p${pid}`;

/** Whether this is a folder of marks of that allocation. */
export const isMarkFolderOf = (name: string, workflowId: number, slurmJobId: number): boolean =>
  name.startsWith(`${MARKS}_wf${workflowId}_sl${slurmJobId}_p`);

const MARKS = 'job_runner_steps';
