import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Job } from '../../src/core/contract/job.ts';
import type { Result } from '../../src/core/contract/result.ts';

/**
 * What trials with kills share, on whichever batch system: the jobs, which write a line when they begin and one when their work is done, and the
 * judge, who reads these files. Times are those since the boot, which are the same where the clock of a node is wrong.
 */

/** Jobs that end in all the ways that matter when they are signaled. The work takes `seconds`. */
const KINDS = {
  plain: (seconds: number) => `sleep ${seconds}; finish`,
  // Its child is signaled some time before itself.
  racer: (seconds: number) => `for i in {1..80}; do sleep 300 & done; sleep ${seconds}; finish; kill $(jobs -p)`,
  // The work is not done when it is asked to end, and it says 0 all the same: that is its word.
  leaves: (seconds: number) => `trap 'leave; exit 0' TERM; sleep ${seconds} & wait $!; finish`,
  refuses: (seconds: number) => `trap 'exit 3' TERM; sleep ${seconds} & wait $!; finish`,
  ignores: (seconds: number) => `trap '' TERM; sleep ${seconds}; finish`,
  pipeline: (seconds: number) => `sleep ${seconds} | cat; true; finish`,
  // In a session of its own, which PBS never ends.
  apart: (seconds: number) => `setsid bash -c 'sleep ${seconds}' & wait $!; finish`,
} as const;
export type KilledKind = keyof typeof KINDS;

const line = (word: string, place: string) =>
  `read -r up rest < /proc/uptime; echo "${word} $TORC_RUN_ID $TORC_ATTEMPT_ID $up" >> ${place}/$TORC_JOB_NAME.log`;

/** The command of a job that appends to a file of its own: `begin`, and `done` or `left` as its last word. */
export const killedCommand = (kind: KilledKind, seconds: number, place: string): string =>
  `finish() { ${line('done', place)}; }; leave() { ${line('left', place)}; }; ${line('begin', place)}; ${KINDS[kind](seconds)}`;

/** The same for work that takes no time. */
export const shortKilledCommand = (place: string): string => `${line('begin', place)}; ${line('done', place)}`;

/** A job that ended so long before the kill must be known to have ended. */
const KNOWN_MS = 2_000;

/** What the files of the jobs say of their results. `met`: jobs that did their work twice because they ended when a victim was being killed. */
export function judgeKilled(
  jobs: readonly Job[],
  results: readonly Result[],
  { place, killedAtMs }: { readonly place: string; readonly killedAtMs: number },
) {
  const faults: string[] = [];
  const twice: string[] = [];
  const met: string[] = [];
  for (const job of jobs) {
    const lines = linesOf(join(place, `${job.name}.log`));
    const done = lines.filter((line) => line.startsWith('done '));
    const firstMs = Number(done[0]?.split(' ')[3]) * 1000;
    if (done.length > 1)
      (firstMs < killedAtMs - KNOWN_MS ? twice : met).push(`${job.name} did its work twice: ${lines.join(', ')}`);
    for (const result of results.filter(({ job_id, status }) => job_id === job.id && status === 'completed')) {
      const attempt = `${result.run_id} ${result.attempt_id ?? 1} `;
      if (!lines.some((line) => line.startsWith(`done ${attempt}`) || line.startsWith(`left ${attempt}`)))
        faults.push(`${job.name} completed in ${attempt}, but it wrote ${lines.join(', ') || 'nothing'}`);
    }
  }
  return { faults, twice, met };
}

const linesOf = (path: string): string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
