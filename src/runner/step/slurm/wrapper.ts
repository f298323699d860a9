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
 * With job control (`set -m`) SIGINT and SIGQUIT are not ignored in the command, as they are in background commands of a shell. What the
 * shells themselves say (`Terminated`, `Done`) goes nowhere.
 */
export const WRAPPER = `[ "\${SLURM_PROCID:-0}" = 0 ] || exit 0
exec 3>&2 2> /dev/null
mark=$0 run=
signals='HUP INT QUIT USR1 USR2 ALRM TERM XCPU CONT'
note() {
  local pid key value masks=
  read -r pid _ < "/proc/$run/task/$run/children"
  while read -r key value; do
    case $key in SigIgn: | SigCgt:) masks+=" $value" ;; esac
  done < "/proc/$pid/status"
  echo "$1$masks $SECONDS" >> "$mark"
}
for each in $signals; do trap "note $each" "$each"; done
echo began > "$mark"
set -m
(
  set +m
  seen=
  for each in $signals; do trap "seen+=' $each'" "$each"; done
  bash -c "$1" 2>&3 3>&-
  code=$?
  [ -z "$seen" ] || while read -r each _; do seen=\${seen// $each/}; done < "$mark"
  { for each in $seen; do echo "$each $SECONDS"; done; echo "ended $code $SECONDS"; } >> "$mark"
  exit "$code"
) <&0 &
run=$!
set +m
while
  wait "$run"
  code=$?
  kill -0 "$run"
do :; done
while read -r key value _; do [ "$key" = ended ] && code=$value; done < "$mark"
exit "$code"`;
