#!/bin/sh
# Runs after a removal. The database, the configuration and the user, to whom it belongs, stay: an administrator deletes them.
set -e
[ ! -d /run/systemd/system ] || systemctl daemon-reload
[ "$1" != purge ] || rm -rf /var/log/torc
[ "$1" != purge ] || [ ! -e /var/lib/torc/torc.db ] || echo "torc: the database stays in /var/lib/torc"
