/** The names of an allocation: its job in Slurm, its script, and the token by which a lost submission is found again. */

interface NamesOptions {
  readonly workflowId: number;
  readonly schedulerId: number;
  /** The process that submits, and the number of the allocation in it. */
  readonly pid: number;
  readonly number: number;
  readonly prefix: string;
  readonly isSerialized: boolean;
}

/** Allocations that wait for each other share a name: Slurm's dependency `singleton` goes by it. */
export const allocationJobName = (options: NamesOptions): string =>
  options.isSerialized ? `torc-wf${options.workflowId}-sched${options.schedulerId}` : fileStem(options);

const fileStem = ({ prefix, workflowId, pid, number }: NamesOptions): string =>
  `${prefix}wf${workflowId}_${pid}_${number}`;

/** The file name of the script: it contains the token, which squeue shows with the path (`%o`). */
export const scriptName = (options: NamesOptions, token: string): string =>
  `${fileStem({ ...options, prefix: asFileName(options.prefix) })}_${token}.sh`;

/** A prefix is free text. File names have no slash, and at most 255 bytes, four of which are a character. */
const asFileName = (prefix: string): string => /^[^]{0,40}/u.exec(prefix.replaceAll(/[/\0]/g, '_'))?.[0] ?? '';

/**
 * The token of an allocation: its record, and a number that differs between servers with equal records.
 *
 * It follows from what the server has stored, so a second process finds the submission of the first. Two servers use the
 * same ids; the creation times of their workflows differ by more than a millisecond.
 */
export const submissionToken = (recordId: number, workflow: { id: number; timestamp: string }): string =>
  `a${recordId}w${workflow.id}t${hash(workflow.timestamp)}`;

/** FNV-1a, 32 bits, in hexadecimal digits. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** Whether this path is the script of the allocation with this token. */
export const isScriptOf = (path: string, token: string): boolean => path.trim().endsWith(`_${token}.sh`);

/**
 * The longest delay of runners that start together, in seconds: 1 a runner up to 10, then less and less, at most a minute.
 *
 * Without it, 1,000 runners that Slurm starts at once register within one second.
 */
export function startupWindowSeconds(runners: number): number {
  if (runners <= 1) return 0;
  if (runners <= 10) return runners;
  return runners <= 100 ? 10 + Math.floor(((runners - 10) * 50) / 90) : 60;
}
