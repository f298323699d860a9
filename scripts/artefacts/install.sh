#!/bin/sh
# Installs torc @VERSION@ for this user: sh install.sh [--prefix FOLDER] [--from PLACE]
#
# Needs sh, tar, xz or gzip, sha256sum or shasum; for a URL also curl or wget. Nothing is changed before the sum of the file is
# right. Read it before you run it: it is short.

VERSION='@VERSION@'
KEY='@KEY@'
ADDRESS='@ADDRESS@'

usage='Usage: sh install.sh [--prefix FOLDER] [--from PLACE]

  --prefix FOLDER  where to install: programs in FOLDER/bin, versions in FOLDER/lib/torc (default ~/.local)
  --from PLACE     folder or URL with SHA256SUMS and the archives (default: where install.sh is)'

say() { printf '%s\n' "$*"; }
fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

# Everything is in functions, and the last line calls them: a copy that was cut off does nothing.
main() {
  set -eu
  umask 022
  prefix=${HOME:-}/.local
  from=
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix | --from)
        [ $# -ge 2 ] && [ -n "$2" ] || fail "$1 needs a value"
        [ "$1" = --from ] || prefix=$2
        [ "$1" = --prefix ] || from=$2
        shift 2
        ;;
      --prefix=*) prefix=${1#*=} && shift ;;
      --from=*) from=${1#*=} && shift ;;
      -h | --help) say "$usage" && exit 0 ;;
      *) fail "unknown argument $1
$usage" ;;
    esac
  done
  case $prefix in
    /.local) fail 'HOME is not set: name a folder with --prefix' ;;
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
  find_place
  find_platform
  find_tools
  versions=$prefix/lib/torc
  refuse_other_program
  if [ -d "$versions/$VERSION" ]; then
    say "torc $VERSION is in $versions/$VERSION already."
  else
    fetch_version
  fi
  finish
}

find_place() {
  if [ -z "$from" ]; then
    case $0 in
      */*) folder=${0%/*} ;;
      *) folder=. ;;
    esac
    if [ -f "$0" ] && [ -f "$folder/SHA256SUMS" ]; then
      from=$folder
    else
      from=$ADDRESS
    fi
  fi
  [ -n "$from" ] || fail 'there is no SHA256SUMS beside install.sh: name the folder or the URL of the release with --from'
  case $from in
    http://* | https://*) from=${from%/} ;;
    *)
      [ -d "$from" ] || fail "$from is no folder"
      from=$(cd "$from" && pwd)
      ;;
  esac
}

find_platform() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64 | Linux-amd64) platform=linux-x64 ;;
    Linux-aarch64 | Linux-arm64) platform=linux-arm64 ;;
    Darwin-arm64) platform=darwin-arm64 ;;
    *) fail "there is no torc for $(uname -s) on $(uname -m): Linux on x86_64 and aarch64, and macOS on arm64" ;;
  esac
}

has() { command -v "$1" > /dev/null 2>&1; }

find_tools() {
  missing=
  has tar || missing="$missing tar,"
  if has xz; then
    ending=tar.xz
  elif has gzip; then
    ending=tar.gz
  else
    missing="$missing xz or gzip,"
  fi
  has sha256sum || has shasum || missing="$missing sha256sum or shasum,"
  case $from in
    http*) has curl || has wget || missing="$missing curl or wget," ;;
  esac
  [ -z "$missing" ] || fail "not found on PATH:${missing%,}. Install what is missing, or put it on PATH."
}

refuse_other_program() {
  found=$prefix/bin/torc
  if [ -e "$found" ] || [ -L "$found" ]; then
    case $(readlink "$found" || :) in
      ../lib/torc/current/bin/torc) ;;
      *) fail "$found is another program: move it away, or name another folder with --prefix" ;;
    esac
  fi
}

# get NAME: a file of the release, into the folder $part.
get() {
  case $from in
    http*)
      if has curl; then
        curl -fsSL --retry 2 -o "$part/$1" "$from/$1"
      else
        wget -q -O "$part/$1" "$from/$1"
      fi
      ;;
    *) cp "$from/$1" "$part/$1" ;;
  esac || fail "$from/$1 could not be fetched"
}

sum_of() {
  if has sha256sum; then sha256sum < "$1"; else shasum -a 256 < "$1"; fi
}

fetch_version() {
  part=$versions/.part.$$
  mkdir -p "$part" || fail "cannot write in $versions: name another folder with --prefix"
  trap 'rm -rf "$part"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  get SHA256SUMS
  check_signature
  archive=
  for name in "torc-$VERSION-$platform.$ending" "torc-$VERSION-$platform.tar.gz" "torc-$VERSION-$platform.tar.xz"; do
    [ -n "$archive" ] || ! grep -q "  $name\$" "$part/SHA256SUMS" || archive=$name
  done
  [ -n "$archive" ] || fail "$from has no torc $VERSION for $platform"
  case $archive in
    *.xz) has xz || fail "not found on PATH: xz, for $archive" ;;
    *) has gzip || fail "not found on PATH: gzip, for $archive" ;;
  esac
  get "$archive"
  expected=$(grep "  $archive\$" "$part/SHA256SUMS")
  expected=${expected%% *}
  found=$(sum_of "$part/$archive")
  found=${found%% *}
  [ "$found" = "$expected" ] || fail "$archive is damaged or was cut off: its sum is $found, and SHA256SUMS says $expected. Nothing was installed."
  # Two commands, so that an error of either is seen.
  case $archive in
    *.xz) xz -d "$part/$archive" ;;
    *) gzip -d "$part/$archive" ;;
  esac || fail "$archive could not be unpacked in $part. Nothing was installed."
  (cd "$part" && tar xf "${archive%.?z}") || fail "$archive could not be unpacked in $part. Nothing was installed."
  tree=$part/torc-$VERSION-$platform
  said=$("$tree/bin/torc" --version 2>&1) || fail "torc $VERSION does not start on this machine. Nothing was installed. It says:
$said"
  mv "$tree" "$versions/$VERSION"
}

# The sums are signed; whether the key is that of the publisher is for minisign to say.
check_signature() {
  [ -n "$KEY" ] || return 0
  if has minisign; then
    get SHA256SUMS.minisig
    (cd "$part" && minisign -Vqm SHA256SUMS -P "$KEY") || fail "the signature of SHA256SUMS is not that of the key $KEY. Nothing was installed."
    say "The signature of SHA256SUMS is that of the key $KEY."
  else
    say 'The signature was not checked, because minisign is not on PATH; the sum is.'
  fi
}

quoted() { printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g'; }

# to_current TARGET NAME: makes the link NAME in the folder of the versions, in the place of one that is there.
to_current() {
  ln -s "$1" "$versions/.$2.$$"
  mv -Tf "$versions/.$2.$$" "$versions/$2" 2> /dev/null || mv -hf "$versions/.$2.$$" "$versions/$2" 2> /dev/null || {
    rm -f "$versions/.$2.$$"
    ln -sfn "$1" "$versions/$2"
  }
}

finish() {
  printf '{ "from": "%s", "platform": "%s" }\n' "$(quoted "$from")" "$platform" > "$versions/.receipt.$$" &&
    mv -f "$versions/.receipt.$$" "$versions/receipt.json" || fail "cannot write in $versions"
  before=$(readlink "$versions/current" || :)
  if [ "$before" != "$VERSION" ]; then
    [ -z "$before" ] || to_current "$before" previous
    to_current "$VERSION" current
  fi
  sh "$versions/current/share/link.sh" "$prefix"
  say "Installed $("$prefix/bin/torc" --version) in $prefix"
  case :$PATH: in
    *":$prefix/bin:"*) say 'Try it: torc --help' ;;
    *) say "Put it on your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
}

main "$@"
