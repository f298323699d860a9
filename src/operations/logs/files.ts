import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openRegular } from '../../cluster/open-regular.ts';

const STDIO = 'job_stdio';
const WORKFLOW = /(?<![a-z0-9])wf(\d+)(?!\d)/;

/** The workflow that the name of a file carries: 4 in `job_wf4_j1_r1_a1.o`, and not in `job_wf42_j1_r1_a1.o`. */
export const workflowIn = (path: string): number | undefined => {
  const found = WORKFLOW.exec(basename(path))?.[1];
  return found === undefined ? undefined : Number(found);
};

/** The logs of workflows in an output folder and in its folder of job output, as paths below it. */
export const logsBelow = (folder: string): string[] =>
  [...filesBelow(folder, 0), ...filesBelow(join(folder, STDIO), 0).map((name) => join(STDIO, name))]
    .filter((path) => workflowIn(path) !== undefined)
    .sort();

/** The files in a folder and in those below it, down to this many levels, as paths below it. */
export function filesBelow(folder: string, levels: number): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile()) return [entry.name];
    if (!entry.isDirectory() || levels === 0) return [];
    return filesBelow(join(folder, entry.name), levels - 1).map((path) => join(entry.name, path));
  });
}

/** Logs that are read for errors: the environment of an allocation is none. */
export const isReadable = (path: string): boolean => /\.(log|o|e)$/.test(path) && !/(^|\/)slurm_env_/.test(path);

/** A longer line is cut: a progress bar may be a line of a gigabyte, and more of it than this is never in memory. */
const LONGEST = 64 * 1024;

const LINE_END = /\r\n|\n|\r/;

/** Calls for each line of a file, with its number. A line ends with LF, CR or both. */
export async function eachLine(path: string, call: (text: string, number: number) => void): Promise<void> {
  let number = 0;
  let open = '';
  const end = () => {
    number += 1;
    call(open, number);
    open = '';
  };
  let isAfterReturn = false;
  for await (const chunk of createReadStream(path, { fd: openRegular(path), encoding: 'utf8' })) {
    const text = chunk as string;
    // CR and LF of one line end may come in two chunks.
    const lines = (isAfterReturn && text.startsWith('\n') ? text.slice(1) : text).split(LINE_END);
    isAfterReturn = text.endsWith('\r');
    for (const [at, part] of lines.entries()) {
      if (at > 0) end();
      if (open.length < LONGEST) open += part.slice(0, LONGEST - open.length);
    }
  }
  if (open !== '') end();
}
