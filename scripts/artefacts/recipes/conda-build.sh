#!/bin/sh
# Puts the archive of a release, unpacked in the current folder, into an environment of conda.
set -eu
mkdir -p "$PREFIX/lib/torc-flow" "$PREFIX/bin" "$PREFIX/share/man/man1"
cp -R . "$PREFIX/lib/torc-flow"
for program in bin/torc*; do
  case $program in
    *.mjs) ;;
    *) ln -s "../lib/torc-flow/$program" "$PREFIX/bin/${program##*/}" ;;
  esac
done
cp share/man/man1/*.1 "$PREFIX/share/man/man1"
