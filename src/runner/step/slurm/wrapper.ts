/** Signals that end a process which does not handle them, with their numbers. */
const ASKING = ['HUP.1', 'INT.2', 'QUIT.3', 'USR1.10', 'USR2.12', 'ALRM.14', 'TERM.15', 'XCPU.24'];

/**
 * Runs the command `$1` and writes a mark into the file `$0` (`core/contract/files/step-mark.ts` has its lines): that it began,
 * the signals that reached it, and its exit code. srun's own exit code proves nothing: it is 0 when a node fails.
 *
 * Slurm signals every process of a step, so this shell gets each signal too. It has handlers, which the command does not
 * inherit: the command decides what a signal means. A shell that waits for a command in the foreground runs its handlers only
 * afterwards, so the command runs in the background; with job control (`set -m`), or SIGINT would be ignored in it.
 *
 * `wait` returns when a handler has run; the loop asks again, and gets the exit code that the shell has kept.
 */
export const WRAPPER = `[ "\${SLURM_PROCID:-0}" = 0 ] || exit 0
mark=$0 pid= again=
note() {
  again=1
  local key value how=ends
  while read -r key value; do
    case $key in SigIgn: | SigCgt:) (( 16#$value >> $2 - 1 & 1 )) && how=handled ;; esac
  done < "/proc/$pid/status" || how=gone
  echo "$1 $how $SECONDS" >> "$mark"
} 2> /dev/null
trap 'note CONT 15' CONT
for each in ${ASKING.join(' ')}; do trap "note \${each/./ }" "\${each%.*}"; done
{ echo began > "$mark"; } 2> /dev/null
set -m
bash -c "$1" <&0 &
pid=$!
set +m
while again=; wait "$pid"; code=$?; [ -n "$again" ]; do :; done
{ echo "ended $code $SECONDS" >> "$mark"; } 2> /dev/null
exit "$code"`;
