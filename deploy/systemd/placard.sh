#!/bin/sh
# The operator's command on a machine where systemd runs Placard: it has the settings and the user of placard.service.
# Another DATA_DIR may be given, for example to restore a backup into a new folder.
set -e
given=$DATA_DIR
# systemd reads the file, because a shell would take it differently: a & would end the value.
settings=$(systemd-run --quiet --pipe --wait --collect -p Environment=DATA_DIR=/var/lib/placard \
  -p EnvironmentFile=-/etc/placard/placard.env /bin/sh -c 'export -p' < /dev/null)
eval "$settings"
export DATA_DIR="${given:-$DATA_DIR}"
# The user may not read the folder of the administrator who types the command.
cd /var/lib/placard
exec runuser -u placard -- /opt/placard/bin/placard "$@"
