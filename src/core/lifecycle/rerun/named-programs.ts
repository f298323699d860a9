import { type FileOnDisk, type JobWithFiles, type PlanFacts } from './out-of-date.ts';

/** A program that commands name, that is no input of their jobs, and that was changed after these had written their outputs. */
export interface NewerProgram {
  readonly path: string;
  /** The number of jobs whose results are older. */
  readonly jobs: number;
}

/** Words that are files people write themselves: scripts by their endings, and programs of this folder. */
const PROGRAM =
  /^(?:\.{1,2}\/[^\s]+|[^\s/~$-][^\s$]*\.(?:awk|bash|ipynb|jl|js|lua|m|nf|pl|ps1|py|r|R|rb|Rmd|sed|sh|sql|tcl|ts|zsh))$/u;

/** The programs in a command by their paths, each once: words between blanks and what separates commands of a shell, without quotes. */
export const programsIn = (command: string): string[] => [
  ...new Set(
    command
      .split(/[\s;&|<>()`'"]+/u)
      .filter((word) => PROGRAM.test(word))
      .map((word) => word.replace(/^\.\//u, '')),
  ),
];

/** The programs that jobs name which completed, other than their inputs and outputs, with these jobs. */
export function namedPrograms({ jobs, files }: Pick<PlanFacts, 'jobs' | 'files'>): Map<string, JobWithFiles[]> {
  const paths = new Map(files.map(({ id, path }) => [id, path.replace(/^\.\//u, '')]));
  const found = new Map<string, JobWithFiles[]>();
  for (const job of jobs) {
    if (job.status !== 'completed' || job.command === undefined) continue;
    const own = new Set([...(job.input_file_ids ?? []), ...(job.output_file_ids ?? [])].map((id) => paths.get(id)));
    for (const path of programsIn(job.command)) {
      if (own.has(path)) continue;
      const named = found.get(path);
      if (named === undefined) found.set(path, [job]);
      else named.push(job);
    }
  }
  return found;
}

/** Those that are newer than the oldest output of jobs that name them. Of jobs without outputs nothing is known. */
export function newerPrograms(
  named: ReadonlyMap<string, readonly JobWithFiles[]>,
  times: ReadonlyMap<string, number>,
  files: readonly FileOnDisk[],
): NewerProgram[] {
  const written = new Map(files.map(({ id, mtime }) => [id, mtime]));
  return [...named].flatMap(([path, jobs]) => {
    const changedAt = times.get(path);
    if (changedAt === undefined) return [];
    const older = jobs.filter(({ output_file_ids: outputs }) =>
      (outputs ?? []).some((id) => (written.get(id) ?? Infinity) < changedAt),
    );
    return older.length === 0 ? [] : [{ path, jobs: older.length }];
  });
}
