/**
 * What runs on a host, as POSIX shell scripts, each the same for all hosts and users (`cluster/ssh/remote-script.ts`). Everything that is
 * secret or long goes over standard input, to the program that said that it is ready.
 *
 * The variables of the connection are removed: with them, bash takes each job for a login and reads ~/.bashrc, which may
 * take seconds and change what the job finds; and the connection is gone long before the jobs are.
 *
 * `$1` is the program, `$2` the folder to work in, or nothing for the home folder, `$3` the output folder. `~/` at the beginning of each
 * is the home folder there. Programs that a user installed are often on the PATH of login shells only, so the usual folders are
 * searched, too.
 */
const fromHome = 'h() { case $1 in "~"|"~/"*) v=$HOME${1#?};; *) v=$1;; esac; }';
// Start files may go to another folder, and set CDPATH.
const enterFolder = `${fromHome}; unset CDPATH; cd 2>/dev/null; h "$2"; [ -z "$v" ] || cd -- "$v" || exit 91`;

const beginning = [
  'unset SSH_CLIENT SSH2_CLIENT SSH_CONNECTION SSH_TTY',
  'PATH="$PATH:$HOME/.local/bin:$HOME/bin:/usr/local/bin:/opt/torc/bin"',
  enterFolder,
  'h "$1"; t=$v; h "$3"',
  'command -v -- "$t" >/dev/null || exit 127',
];

/** Runs the task `$4` to its end; `$5` is the number from which the program computes what it says when it is ready. */
export const taskScript = [...beginning, 'exec "$t" remote-agent "$4" "$5" -- "$v"'].join('; ');

/**
 * Starts the runner of the workflow `$4`, in a session of its own; `$5` as for a task. An output folder that is missing is made under the
 * umask `$6`.
 *
 * The runner says on file descriptor 3 that it is ready, and answers there. The shell passes both on, and lives until then: sshd closes
 * the input of a session whose first process has ended. It does not wait for the end of the descriptor, which a script that starts the
 * program keeps open. What the runner prints goes to a log. Without setsid, as on macOS, the shell ignores SIGHUP for it.
 */
export const startScript = [
  ...beginning,
  '(umask "$6" && mkdir -p -- "$v") || exit 92',
  'l=$v/torc_worker_wf$4_$(uname -n).log',
  '(umask 077; : >>"$l") || exit 92',
  's=$(command -v setsid) || trap "" HUP',
  'exec 4<&0',
  '{ $s "$t" remote-agent start "$5" -- "$v" <&4 4<&- 3>&1 >>"$l" 2>&1 & } | while IFS= read -r r',
  'do printf %s "$r"; echo; case $r in TORC_REMOTE=*) break;; esac',
  'done',
].join('; ');

/** Explains a host that did not answer: the version of its program, and the end of the log of the workflow `$4`. */
export const explainScript = [
  ...beginning,
  '"$t" --version 2>&1',
  'tail -n 5 -- "$v/torc_worker_wf$4_$(uname -n).log" 2>/dev/null',
].join('; ');

/** Prints the file `$1` from byte `$3` on, counted from 1. */
export const rangeScript = [enterFolder, 'exec tail -c "+$3" -- "$1"'].join('; ');
