import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { JOB_VARIABLE } from '../../cluster/slurm/allocation.ts';
import { MARK_VARIABLE, OUTER_MARKS_VARIABLE, type RunnerFacts } from '../../core/attempt/belongs-to.ts';
import { bashOn } from '../../cluster/program-on.ts';

/**
 * A process that ends the jobs of a runner which is killed.
 *
 * Slurm ends the processes of an allocation by their parents, unless its site uses control groups. Those of a killed
 * runner have lost theirs, so they would go on, on a node that is given to others.
 */
export interface Guardian {
  /** The runner ends by itself. */
  dismiss(): void;
}

/**
 * Reads a line from the runner; without one the runner was killed. It stops all processes of the jobs before it kills the
 * first (`kill-together.ts`). What forks meanwhile is found by the next search, and what still shows no environment by a
 * later one.
 *
 * It ends only what has both the mark and the Slurm job of the runner in its environment: for a shell the rest of the
 * evidence of `belongs-to.ts` takes too long.
 */
const SCRIPT = `read -r word && exit 0
stop() {
  found=
  for file in $(grep -lsazE "^(${MARK_VARIABLE}=|${OUTER_MARKS_VARIABLE}=([^:]*:)*)$0(:|$)" /proc/[0-9]*/environ); do
    grep -qsazxF "$2=$1" "$file" && grep -qsaz '^${MARK_VARIABLE}=' "$file" || continue
    pid=\${file#/proc/} pid=\${pid%/environ}
    case "$all " in *" $pid "*) continue ;; esac
    kill -STOP "$pid" 2> /dev/null && found=1 all="$all $pid"
  done
  [ -n "$found" ]
}
for round in 1 2 3 4 5 6 7 8 9 10; do
  all= search=0
  while [ $search -lt 10 ] && stop "$1" "$2"; do search=$((search + 1)); done
  [ -n "$all" ] || exit 0
  kill -KILL $all 2> /dev/null
  sleep 0.2
done`;

/** Absent outside of an allocation, and where there is no /proc. */
export function startGuardian({ mark, allocationId, jobVariable = JOB_VARIABLE }: RunnerFacts): Guardian | undefined {
  if (allocationId === '' || !existsSync('/proc/self/environ')) return undefined;
  const { [MARK_VARIABLE]: _, [OUTER_MARKS_VARIABLE]: __, ...env } = process.env;
  // Its input is a socket, and a bash that no shell has started reads ~/.bashrc then.
  const child = spawn(bashOn(env['PATH']) ?? 'bash', ['--norc', '-c', SCRIPT, mark, allocationId, jobVariable], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
    // In a session of its own, signals to the runner's group do not reach it.
    detached: true,
  });
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.unref();
  return { dismiss: () => void child.stdin.end('done\n') };
}
