import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, type Timer } from '../../client/long-timers.ts';
import { ENDING_SIGNALS } from '../../core/attempt/signal.ts';
import { MARK_VARIABLE, OUTER_MARKS_VARIABLE } from '../../core/attempt/belongs-to.ts';
import { bashOn } from '../../cluster/program-on.ts';

/**
 * A process that notices that its runner is stuck in a call of the kernel: a file system that does not answer, as of a dead server of NFS.
 *
 * The runner opens and writes files in its main thread: output of jobs, its ledger, its log. A call that never returns leaves it without an
 * answer to Ctrl-C, and only `kill -9` would end it. What would have to be moved to another thread is all that it writes, and the ledger is
 * written before a job starts, so a runner whose folder does not answer can start nothing anyway. Jobs that run are processes of their own
 * and go on. So nothing is moved: this process says what the runner waits for, and ends it if a person asks.
 */
export interface StallWatch {
  close(): void;
}

interface Times {
  /** How often the runner shows that it moves. */
  readonly beatMs: number;
  /** Shorter, and a disk that is only busy is called dead; longer, and a person has pressed Ctrl-C twice. */
  readonly silentSeconds: number;
  /** After Ctrl-C: the file system may answer after all, and then the runner ends in its own way. */
  readonly graceSeconds: number;
}

const USUAL: Times = { beatMs: 5_000, silentSeconds: 15, graceSeconds: 5 };

/**
 * `$0` is the runner, `$1` its folder, and `$2` and `$3` are the seconds of `Times`. A runner that sleeps although it should beat is in a call of
 * the kernel that does not return; one that is stopped, or gets no CPU, has another state. Two looks: after a pause of the machine it is found asleep
 * once. Ctrl-C reaches this process with the runner's group. A signal to the runner alone is pending there, until another thread of it takes it,
 * which cannot do anything about it.
 *
 * Jobs are known by their mark. A process that is not one yet, because the file of its output is being opened, still shows the words of the
 * runner: it would become a job when the file system answers. A server of the runner ends by itself.
 *
 * Signals that mean something to jobs (`scancel -s USR1`) reach every process of an allocation, and end no watch.
 */
const SCRIPT = `asked= said= left= looks=0
trap '' ${ENDING_SIGNALS.join(' ')}
trap 'asked=1' INT TERM HUP
waits() {
  local line
  read -r line < "/proc/$0/stat" || exit 0
  line=\${line##*) }
  [[ \${line%% *} = [DS] ]]
}
words() { echo "$(< "/proc/$1/cmdline")"; } 2> /dev/null
pending() {
  local key mask
  while read -r key mask _; do
    case $key in SigPnd: | ShdPnd:) [ $((16#$mask & 0x4003)) = 0 ] || return 0 ;; esac
  done < "/proc/$0/status"
  return 1
}
end() {
  local each pids
  read -r pids < "/proc/$0/task/$0/children"
  for each in $pids; do
    [ "$each" != $$ ] || continue
    [ "$(words "$each")" = "$(words "$0")" ] || grep -qsaz '^${MARK_VARIABLE}=' "/proc/$each/environ" || continue
    kill -KILL -- "-$each" 2> /dev/null || kill -KILL "$each"
  done
  echo "torc: the runner and its jobs are killed; the next run of the workflow runs them again" >&2
  kill -KILL "$0"
  # As long as the runner is there, it does not close the input.
  read -r -t 2 _
  [ $? -le 128 ] || echo "torc: the runner is gone when the file system answers, or when it is unmounted (umount -f)" >&2
  exit 0
}
wait=$2
while :; do
  read -r -t "$wait" _
  code=$?
  if [ $code = 0 ]; then
    [ -z "$said" ] || echo "torc: the file system answers again" >&2
    asked= said= left= looks=0 wait=$2
    continue
  fi
  [ $code -gt 128 ] || exit 0
  wait=1
  waits || { looks=0; continue; }
  looks=$((looks + 1))
  [ $looks -gt 1 ] || continue
  if [ -z "$said" ]; then
    said=1
    echo "torc: the runner waits for a file system that does not answer, probably that of $1. It goes on when the file system answers; running jobs go on. Ctrl-C ends it." >&2
  fi
  [ -n "$asked" ] || ! pending || asked=1
  [ -n "$asked" ] || continue
  left=$((\${left:-$3} - 1))
  [ $left -gt 0 ] || end
done`;

/** Watches this process until it is closed. Absent where there is no /proc. */
export function watchForStall(folder: string, times: Times = USUAL): StallWatch | undefined {
  if (!existsSync('/proc/self/stat')) return undefined;
  const { [MARK_VARIABLE]: _, [OUTER_MARKS_VARIABLE]: __, ...env } = process.env;
  // In the group of the runner, so that Ctrl-C reaches it.
  const child = spawn(
    bashOn(env['PATH']) ?? 'bash',
    ['--norc', '-c', SCRIPT, ...[process.pid, folder, times.silentSeconds, times.graceSeconds].map(String)],
    {
      env,
      cwd: '/',
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  );
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.unref();
  let timer: Timer;
  const rest = () => {
    timer = after(times.beatMs, () => {
      child.stdin.write('.\n');
      rest();
    }).unref();
  };
  rest();
  return {
    close() {
      timer.cancel();
      child.stdin.end();
    },
  };
}
