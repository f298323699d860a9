import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Programs that play Slurm: jobs are files in a folder, and wait for ever. */
export interface PlayedSlurm {
  /** What makes our programs call these instead of Slurm's. */
  readonly environment: Readonly<Record<string, string>>;
  /** The jobs that were submitted and not canceled, each task of an array by itself, in order. */
  jobs(): string[];
  /** The calls of a program so far: its arguments. */
  calls(program: 'sbatch' | 'squeue' | 'scancel'): string[];
  /** Replaces lines that a program runs before it does its work (`before`), or afterwards. */
  trouble(
    program: 'sbatch' | 'squeue' | 'scontrol',
    lines: { readonly before?: string; readonly after?: string },
  ): void;
  /** States and times of jobs, as squeue says them: `FAILED|N/A|0:01`. */
  becomes(job: string, words: string): void;
}

/**
 * Makes the programs in a folder. They know what our programs ask: sbatch with and without `--array`, squeue for scripts and
 * for states, scancel for a job or a task, and `scontrol show config`.
 */
export function playSlurm(folder: string, { mostTasks = 1001 } = {}): PlayedSlurm {
  for (const each of ['jobs', 'canceled', 'state', 'trouble']) mkdirSync(join(folder, each), { recursive: true });
  for (const [name, lines] of Object.entries(programs(mostTasks)))
    writeFileSync(join(folder, name), script(folder, name, lines), { mode: 0o755 });
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const names = Object.keys(programs(mostTasks));
  return {
    environment: Object.fromEntries(names.map((name) => [`TORC_FAKE_${name.toUpperCase()}`, join(folder, name)])),
    jobs: () =>
      readdirSync(join(folder, 'jobs'))
        .toSorted((a, b) => Number(a) - Number(b))
        .flatMap((id) => read(`jobs/${id}`).trim().split('\n').slice(1))
        .filter((job) => !existsSync(join(folder, 'canceled', job))),
    calls: (program) =>
      existsSync(join(folder, `${program}.calls`)) ? read(`${program}.calls`).trim().split('\n') : [],
    trouble(program, { before = ':', after = ':' }) {
      writeFileSync(join(folder, 'trouble', `${program}.before`), before);
      writeFileSync(join(folder, 'trouble', `${program}.after`), after);
    },
    becomes: (job, words) => writeFileSync(join(folder, 'state', job), words),
  };
}

const script = (folder: string, name: string, lines: string) => `#!/bin/bash
cd '${folder}' || exit 1
echo "$*" >> ${name}.calls
[ -e trouble/${name}.before ] && . trouble/${name}.before
${lines}
[ -e trouble/${name}.after ] && . trouble/${name}.after
exit 0
`;

/** A job is a file: its script, and a line for each task, or one with its id. */
const programs = (mostTasks: number): Readonly<Record<string, string>> => ({
  sbatch: `
    until mkdir lock 2>/dev/null; do :; done
    id=$(($(cat last 2>/dev/null || echo 100) + 1)); echo $id > last
    tasks=
    case "$1" in --array=*)
      for range in $(echo "\${1#--array=}" | tr , ' '); do tasks="$tasks $(seq \${range%-*} \${range#*-})"; done; shift;;
    esac
    { echo "$1"; if [ -z "$tasks" ]; then echo $id; else for task in $tasks; do echo "\${id}_$task"; done; fi; } > jobs/$id
    rmdir lock
    echo "Submitted batch job $id"`,
  squeue: `
    case "$*" in
      *'%F|%T|%o'*) for job in jobs/*; do [ -e "$job" ] && echo "\${job#jobs/}|PENDING|$(head -1 $job)"; done;;
      *'%i|%T|%S|%M|%A|'*) tail -qn +2 jobs/* 2>/dev/null | while read -r key; do
        said='PENDING|N/A|0:00'
        [ -e state/$key ] && said=$(cat state/$key)
        [ -e canceled/$key ] && said='CANCELLED|N/A|0:00'
        echo "$key|$said|\${key%_*}|"; done;;
    esac`,
  scancel: 'touch "canceled/$1"; [ -e "jobs/$1" ] && for key in $(tail -n +2 "jobs/$1"); do touch canceled/$key; done',
  sacct: ':',
  scontrol: `echo "MaxArraySize            = ${mostTasks}"`,
});
