#!/bin/sh
# Runs after a package was installed or updated. Nothing is started that an administrator has not enabled.
set -e
if command -v systemd-sysusers > /dev/null; then
  systemd-sysusers torc.conf
elif ! getent passwd torc > /dev/null; then
  useradd --system --user-group --no-create-home --home-dir /var/lib/torc --shell /usr/sbin/nologin torc
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  # What runs was started from files that are gone now.
  systemctl try-restart torc-server.service torc-sonar.service
fi
