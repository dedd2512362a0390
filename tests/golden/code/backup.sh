#!/usr/bin/env bash
# Copies folders to a server, keeping what was there.
set -euo pipefail

source ./lib/log.sh
. "$HOME/.backuprc"

readonly KEEP=7

# Prints how to call this.
usage() {
  cat <<'TEXT'
usage: backup FOLDER...
TEXT
}

function copy {
  local folder=$1
  if [[ ! -d $folder ]]; then
    log "no such folder: $folder"
    return 1
  fi
  rsync -a --link-dest=../latest "$folder" "$TARGET/$(date +%F)"
}

if (($# == 0)); then
  usage
  exit 2
fi
for folder in "$@"; do
  copy "$folder"
done
