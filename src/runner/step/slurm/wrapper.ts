import { AFTER_ALL_MS } from '../../../core/attempt/asked-to-end.ts';
import { CATCHABLE_SIGNALS, ENDING_SIGNALS } from '../../../core/attempt/signal.ts';

/**
 * The shell that runs the command `$3` as a step, and writes a mark into the file `$0` (`core/attempt/step-mark.ts` has its
 * lines): that it began, the signals that the command got, and its exit code. srun's own exit code proves nothing: it is 0 when
 * a node fails.
 *
 * The output of the command goes into the files `$1` and `$2`, and is discarded where these words are empty (`__open`). srun would drop
 * silently what finds no room on a disk: only the process that writes the file gets the error.
 *
 * Whom Slurm signals depends on the plugin that tracks processes. `proctrack/linuxproc` signals every process of a step: the
 * command has the signal already, and this shell only notes it. All others (`proctrack/cgroup`, which nearly all sites have) signal
 * the direct children of the daemon of the step, except with SIGKILL. That is this shell, so it passes the signal on, to the first
 * process of the command: the one that would be the child of the daemon without this shell. What came before the command
 * started is kept for it.
 *
 * There are two shells. Both have handlers, which the command does not inherit: the command decides what a signal means.
 *
 * - The inner one waits for the command in the foreground, where a shell runs its handlers only afterwards. It knows the exit code,
 *   and adds the signals that the outer one had no time to write.
 * - The outer one reads from a pipe until the inner one writes the exit code there, and runs its handlers at once. It does not
 *   `wait`: bash leaves a `wait` from within the handler of a signal, and of two signals that arrive together, as SIGCONT and SIGTERM
 *   of Slurm do, it loses one (bash 5.2; 382 of 400). A handler does not run for a signal that comes just before a read begins: the
 *   first ones end after a moment, perhaps with a part of the exit code. Later ones have no limit, for which old versions of bash take SIGALRM. At the end it waits for the
 *   inner one: Slurm counts the CPU time of the processes that were waited for.
 *
 * Both are functions, because bash has read them when they begin: a handler that it runs while it reads `<(` is a syntax error.
 *
 * Words behind the command are its words, if bash changes none of them: the inner shell starts the program itself, which saves the
 * start of a third shell. The names of all variables are ours, because a job has variables of its own.
 *
 * With job control (`set -m`) SIGINT and SIGQUIT are not ignored in the command, as they are in background commands of a shell. What the
 * shells themselves say (`Terminated`) goes nowhere.
 */
export const wrapper = ({
  reachesAll,
}: {
  readonly reachesAll: boolean;
}): string => `[ "\${SLURM_PROCID:-0}" = 0 ] || exit 0
${reachesAll ? NOTE : PASS_ON}
${OPEN}
__inner() {
  set +m
  __seen=
  for __each in ${ENDING_SIGNALS.join(' ')} CONT; do trap "__seen+=' $__each'" "$__each"; done
  BASH_ARGV0=bash
  if [ $# -gt 1 ] && type -P "$2" > /dev/null; then "\${@:2}" >&3 2>&4 3>&- 4>&-; else bash -c "$1" >&3 2>&4 3>&- 4>&-; fi
  __code=$?${reachesAll ? HEAR_ALL : ''}
  [ -z "$__seen" ] || while read -r __each _; do __seen=\${__seen// $__each/}; done < "$__mark"
  { for __each in $__seen; do echo "$__each $SECONDS"; done; echo "ended $__code $SECONDS"; } >> "$__mark"
  echo "$__code"
}
__outer() {
  __mark=$0 __run= __kept= __code= __part=
  for __each in ${(reachesAll ? [...ENDING_SIGNALS, 'CONT'] : PASSED_ON).join(' ')}; do trap "__signal $__each" "$__each"; done
  exec 3>&1 4>&2 2> /dev/null
  echo began > "$__mark"
  __open "$1" && exec 3>&6
  if [ -n "$1" ] && [ "$1" = "$2" ]; then exec 4>&3; else __open "$2" && exec 4>&6; fi
  exec 6>&-
  shift 2
  set -m
  exec 5< <(__inner "$@")
  __run=$!
  set +m
  for __each in $__kept; do __signal "$__each"; done
  for __each in 1 2 3; do
    read -r -t 0.3 __part <&5
    __each=$?
    __code+=$__part
    [ $__each -gt 128 ] || __end
  done
  read -r __part <&5
  __code+=$__part
  __end
}
__end() {
  while wait "$__run"; kill -0 "$__run"; do :; done
  exit "\${__code:-137}"
}
__outer "$@"`;

/** The pause of `AFTER_ALL_MS`: a pipe that no process writes to is one without a program. */
const HEAR_ALL = `
  [ $__code != 0 ] || read -r -t ${AFTER_ALL_MS / 1000} __each <> <(:)`;

/**
 * A read goes on after SIGCHLD and SIGWINCH, without running a handler. Both do nothing to a process that does not handle them.
 */
const PASSED_ON = CATCHABLE_SIGNALS.filter((name) => name !== 'CHLD' && name !== 'WINCH');

/**
 * Opens as descriptor 6 a file that the runner made by its own rules (`OPEN_FLAGS`). A shell cannot refuse to follow a link, so it looks before
 * and after. Anything but that file, and a folder that this node does not have, leaves the stream to srun, which has the file of the runner
 * open. As an argument of `command`, an `exec` that fails does not end the shell in POSIX mode.
 */
const OPEN = `__open() {
  [ -n "$1" ] || { exec 6> /dev/null; return; }
  [ -f "$1" ] && [ ! -L "$1" ] && command exec 6>> "$1" && [ ! -L "$1" ] && [ "$1" -ef /dev/fd/6 ] && return
  echo "torc: \${SLURMD_NODENAME:-This node} cannot open $1: srun writes it, and silently drops data if the disk is full" >&4
  return 1
}`;

/** Sets `masks` to what the process `pid` ignores and handles, and to nothing if it has ended. */
const LOOK = `
  masks=
  while read -r key value _; do
    case $key in State:) [ "$value" != Z ] || break ;; SigIgn: | SigCgt:) masks+=" $value" ;; esac
  done < "/proc/$pid/status"`;

const NOTE = `__signal() {
  local pid= key value masks
  read -r pid _ < "/proc/$__run/task/$__run/children"${LOOK}
  echo "$1$masks $SECONDS" >> "$__mark"
}`;

/**
 * Until the command is a program of its own, which the fourth word of its command line shows, it is a copy of the inner shell, in which
 * a signal is lost. A signal is written before it is sent: an end that follows must not be without it. Only SIGCONT is not written: where
 * one process alone gets the SIGTERM that follows, an exit code without that SIGTERM is that of a command that ended by itself. A kernel
 * that does not show the children of a process (no CONFIG_PROC_CHILDREN) is asked for all processes.
 */
const PASS_ON = `__child() {
  local each line word
  pid=
  if [ -r "/proc/$__run/task/$__run/children" ]; then
    read -r pid _ < "/proc/$__run/task/$__run/children"
  else
    for each in /proc/[0-9]*/stat; do
      read -r line < "$each"
      read -r _ word _ <<< "\${line##*) }"
      [ "$word" != "$__run" ] || pid=\${line%% *}
    done
  fi
}
__signal() {
  local pid key value masks word
  [ -n "$__run" ] || { __kept+=" $1"; return; }
  while :; do
    __child
    word=
    if [ -n "$pid" ]; then
      { read -r -d '' _; read -r -d '' _; read -r -d '' _; read -r -d '' word; } < "/proc/$pid/cmdline"
      [ "$word" = "$__mark" ] || break
    else
      kill -0 "$__run" || return
      while read -r key _; do [ "$key" != ended ] || return; done < "$__mark"
    fi
  done${LOOK}
  [ -n "$masks" ] || return
  [ "$1" = CONT ] || echo "$1$masks $SECONDS" >> "$__mark"
  kill -s "$1" "$pid"
}`;
