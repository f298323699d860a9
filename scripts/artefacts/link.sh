#!/bin/sh
# link.sh PREFIX: links the programs, manual pages and completions of the current version into PREFIX. Each link goes through
# PREFIX/lib/torc/current, so that it survives updates, and is relative, so that PREFIX may be moved. A file of another program
# is left as it is.
set -eu
prefix=$1
current=$prefix/lib/torc/current

# link FOLDER TARGET: TARGET is below `current`, and FOLDER is so many folders below PREFIX as `up` says.
link() {
  name=${2##*/}
  place=$prefix/$1/$name
  if [ -e "$place" ] && [ ! -L "$place" ]; then
    echo "kept: $place is another file" >&2
    return
  fi
  mkdir -p "$prefix/$1"
  ln -s "${up}lib/torc/current/$2" "$place.$$"
  mv -f "$place.$$" "$place"
}

up=../
for program in "$current"/bin/torc*; do
  case $program in
    *.mjs) ;;
    *) link bin "bin/${program##*/}" ;;
  esac
done
up=../../../
for page in "$current"/share/man/man1/*.1; do
  [ ! -f "$page" ] || link share/man/man1 "share/man/man1/${page##*/}"
done
for text in bash-completion/completions/torc zsh/site-functions/_torc fish/vendor_completions.d/torc.fish; do
  [ ! -f "$current/share/$text" ] || link "share/${text%/*}" "share/$text"
done
