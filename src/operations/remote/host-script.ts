/**
 * What runs on a host, as a POSIX shell script. Everything that is secret or long goes over standard input.
 *
 * The variables of the connection are removed: with them, bash takes each job for a login and reads ~/.bashrc, which may
 * take seconds and change what the job finds; and the connection is gone long before the jobs are.
 *
 * `$1` is the program, `$2` the folder to work in, or nothing for the home folder. Programs that a user installed are
 * often on the PATH of login shells only, so the usual folders are searched, too.
 */
const enterFolder = 'if [ -n "$2" ]; then cd -- "$2" || exit 91; fi';

const beginning = [
  'unset SSH_CLIENT SSH2_CLIENT SSH_CONNECTION SSH_TTY',
  'PATH="$PATH:$HOME/.local/bin:$HOME/bin:/usr/local/bin:/opt/torc/bin"',
  enterFolder,
  'command -v -- "$1" >/dev/null || exit 127',
];

/** Runs a task to its end: `$3` names it. */
export const taskScript = [...beginning, 'exec "$1" remote-agent "$3"'].join('; ');

/**
 * Starts the runner of the workflow `$4` with the output folder `$3`, in a session of its own. A folder that is missing is
 * made under the umask `$5`.
 *
 * The runner gets the connection as file descriptor 3, and closes it when it has answered; ssh waits for that. What it
 * prints goes to a log. Without setsid, as on macOS, the shell ignores SIGHUP for it.
 */
export const startScript = [
  ...beginning,
  '(umask "$5" && mkdir -p -- "$3") || exit 92',
  'log=$3/torc_worker_wf$4_$(uname -n).log',
  '(umask 077; : >>"$log") || exit 92',
  'session=$(command -v setsid) || trap "" HUP',
  'exec 3>&1 4<&0',
  '$session "$1" remote-agent start <&4 4<&- >>"$log" 2>&1 &',
]
  .join('; ')
  .replace(/&;$/, '&');

/** Explains a host that did not answer: the version of its program, and the end of its log. */
export const explainScript = [
  ...beginning,
  '"$1" --version 2>&1',
  'tail -n 5 -- "$3/torc_worker_wf$4_$(uname -n).log" 2>/dev/null',
].join('; ');

/** Prints the file `$1` from byte `$3` on, counted from 1. */
export const rangeScript = [enterFolder, 'exec tail -c "+$3" -- "$1"'].join('; ');
