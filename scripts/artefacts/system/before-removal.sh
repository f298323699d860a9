#!/bin/sh
# Runs before a package is removed, not before it is updated: $1 is `remove` for dpkg, and 0 for rpm.
set -e
case $1 in
  remove | 0) [ ! -d /run/systemd/system ] || systemctl --no-reload disable --now torc-server.service torc-sonar.service ;;
esac
