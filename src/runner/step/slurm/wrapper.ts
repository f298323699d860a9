/**
 * Runs the command `$1` and writes a mark into the file `$0` (`core/contract/files/step-mark.ts` has its lines): that it began,
 * the signals that reached it, and its exit code. srun's own exit code proves nothing: it is 0 when a node fails.
 *
 * Slurm signals every process of a step, so these shells get each signal too. They have handlers, which the command does not
 * inherit: the command decides what a signal means. There are two of them:
 *
 * - The inner one waits for the command in the foreground, where a shell runs its handlers only afterwards. It knows the exit code,
 *   and adds the signals that the outer one had no time to write.
 * - The outer one waits with `wait`, where handlers run at once: it looks which signals the command handles at that moment. A `wait`
 *   that is interrupted may lose the exit code (bash 5.2), so it takes that from the mark.
 *
 * Words behind the command are its words, if bash changes none of them: the inner shell starts the program itself, which saves the
 * start of a third shell. The names of all variables are ours, because a job has variables of its own.
 *
 * With job control (`set -m`) SIGINT and SIGQUIT are not ignored in the command, as they are in background commands of a shell. What the
 * shells themselves say (`Terminated`, `Done`) goes nowhere.
 */
export const WRAPPER = `[ "\${SLURM_PROCID:-0}" = 0 ] || exit 0
exec 3>&2 2> /dev/null
__mark=$0 __run=
__signals='HUP INT QUIT USR1 USR2 ALRM TERM XCPU CONT'
__note() {
  local pid key value masks=
  read -r pid _ < "/proc/$__run/task/$__run/children"
  while read -r key value; do
    case $key in SigIgn: | SigCgt:) masks+=" $value" ;; esac
  done < "/proc/$pid/status"
  echo "$1$masks $SECONDS" >> "$__mark"
}
for __each in $__signals; do trap "__note $__each" "$__each"; done
echo began > "$__mark"
set -m
(
  set +m
  __seen=
  for __each in $__signals; do trap "__seen+=' $__each'" "$__each"; done
  BASH_ARGV0=bash
  if [ $# -gt 1 ] && type -P "$2" > /dev/null; then "\${@:2}" 2>&3 3>&-; else bash -c "$1" 2>&3 3>&-; fi
  __code=$?
  [ -z "$__seen" ] || while read -r __each _; do __seen=\${__seen// $__each/}; done < "$__mark"
  { for __each in $__seen; do echo "$__each $SECONDS"; done; echo "ended $__code $SECONDS"; } >> "$__mark"
  exit "$__code"
) <&0 &
__run=$!
set +m
while
  wait "$__run"
  __code=$?
  kill -0 "$__run"
do :; done
while read -r __key __value _; do [ "$__key" = ended ] && __code=$__value; done < "$__mark"
exit "$__code"`;
