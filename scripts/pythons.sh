#!/usr/bin/env bash
# Versions of Python that a Debian machine lacks, from Debian's unstable release: unpacked with their libraries into
# .build/pythons/VERSION, nothing is installed. The lane of the Python package tries them (tests/support/pythons.ts).
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$PWD/.build/pythons
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | head -n 1)
apt=$folder/apt
mkdir -p "$apt/lists/partial" "$apt/archives/partial"
echo "deb $mirror unstable main" > "$apt/sources.list"
: > "$apt/status"
# Everything that apt reads and writes lies in the folder, so the machine's own packages stay as they are.
of_unstable() {
  apt-get -qq -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$apt/lists" \
    -o Dir::State::status="$apt/status" -o Dir::Cache::archives="$apt/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "$@"
}
of_unstable update

for version in "$@"; do
  root=$folder/$version
  [ ! -x "$root/python3" ] || continue
  rm -rf "$root" "$apt"/archives/*.deb
  if ! of_unstable install --download-only -y --no-install-recommends "python$version" > /dev/null; then
    echo "Python $version could not be fetched here."
    continue
  fi
  mkdir -p "$root"
  for package in "$apt"/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
  # Its own loader and libraries: those of the machine are older. Python finds its modules from the path that it is given.
  loader=$(find "$root" -name 'ld-linux*.so.*' | head -n 1)
  libraries=$(dirname "$(find "$root" -name libc.so.6 | head -n 1)")
  printf '#!/bin/sh\nexec %q --argv0 %q --library-path %q %q "$@"\n' \
    "$loader" "$root/usr/bin/python3" "$libraries" "$root/usr/bin/python$version" > "$root/usr/bin/python3"
  chmod 755 "$root/usr/bin/python3"
  ln -s usr/bin/python3 "$root/python3"
  "$root/python3" -m compileall -q -r 1 "$root/usr/lib/python$version"
  "$root/python3" -c 'import ctypes, ssl, sys; print("Python", sys.version.split()[0], "for the lane of the Python package")'
done
