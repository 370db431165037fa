#!/bin/sh
# The operator's command on a machine where systemd runs Placard: it has the settings and the user of placard.service.
# Another DATA_DIR may be given, for example to restore a backup into a new folder.
set -ae
: "${DATA_DIR:=/var/lib/placard}"
. /etc/placard/placard.env
# The user may not read the folder of the administrator who types the command.
cd /var/lib/placard
exec runuser -u placard -- /opt/placard/bin/placard "$@"
