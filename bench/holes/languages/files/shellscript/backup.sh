#!/usr/bin/env bash
# Copies folders to a dated archive and keeps only the newest ones.
set -euo pipefail

readonly DEFAULT_KEEP=7

usage() {
    echo "usage: $(basename "$0") [-k KEEP] [-d DESTINATION] FOLDER..." >&2
}

log() {
    printf '%s %s\n' "$(date '+%Y-%m-%d %H:%M:%S')" "$*"
}

fail() {
    log "error: $*" >&2
    exit 1
}

keep=$DEFAULT_KEEP
destination="$HOME/backups"

while getopts "k:d:h" option; do
    case "$option" in
        k) keep="$OPTARG" ;;
        d) destination="$OPTARG" ;;
        h)
            usage
            exit 0
            ;;
        *)
            usage
            exit 2
            ;;
    esac
done
shift $((OPTIND - 1))

if [[ $# -eq 0 ]]; then
    usage
    exit 2
fi

mkdir -p "$destination"

archive="$destination/backup-$(date +%Y%m%d-%H%M%S).tar.gz"
for folder in "$@"; do
    if [[ ! -d "$folder" ]]; then
        fail "no such folder: $folder"
    fi
done

log "writing $archive"
tar -czf "$archive" "$@"

if ! tar -tzf "$archive" >/dev/null; then
    rm -f "$archive"
    fail "the archive cannot be read"
fi

count=0
while IFS= read -r old; do
    count=$((count + 1))
    if [[ $count -gt $keep ]]; then
        log "removing $old"
        rm -f "$old"
    fi
done < <(ls -1t "$destination"/backup-*.tar.gz)

log "done, $(find "$destination" -name 'backup-*.tar.gz' | wc -l) archives kept"
