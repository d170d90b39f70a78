#!/usr/bin/env bash
# bash tests/bare.sh FOLDER [COMMAND...]
# Runs a command of this project (bash tests/run.sh unless told otherwise) on a Debian 12 that has nothing but the packages
# which the command installs itself: where a stranger begins. FOLDER gets that system (debootstrap, 200 MB before the command) and
# a fresh clone of what is committed here; a system that this script made there is used again as it is, so that a second command finds the
# first's packages and build. Any other folder that is not empty is refused. Takes root; mounts are the command's own, and end with it. The exit status is the command's. MIRROR names another mirror of Debian's.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# stop STATUS TEXT
stop() {
    printf '%s\n' "$2" >&2
    exit "$1"
}

[ $# -gt 0 ] || stop 64 "Where to? bash tests/bare.sh FOLDER [COMMAND...]"
folder=$1
shift
[ $# -gt 0 ] || set -- bash tests/run.sh
mark=$folder/.made-by-bare.sh
if [ -e "$folder" ] && [ ! -f "$mark" ] && { [ ! -d "$folder" ] || [ -n "$(ls -A "$folder")" ]; }; then
    stop 64 "bare.sh: '$folder' is there, and was not made by this script; name another folder"
fi
[ "$(id -u)" -eq 0 ] || stop 77 "SKIPPED: a system in a folder takes root"
command -v debootstrap >/dev/null || stop 77 "SKIPPED: debootstrap is not installed"

if [ ! -e "$folder/etc/debian_version" ]; then
    mkdir -p "$folder"
    touch "$mark"
    debootstrap --variant=minbase bookworm "$folder" "${MIRROR:-http://deb.debian.org/debian}" >&2
fi
cp /etc/resolv.conf "$folder/etc/resolv.conf"
if [ -e "$folder/ncpbench" ]; then
    git -C "$folder/ncpbench" -c safe.directory='*' fetch --quiet "$root" HEAD
    git -C "$folder/ncpbench" checkout --quiet --force FETCH_HEAD
else
    git clone --quiet --no-local "$root" "$folder/ncpbench"
fi

# shellcheck disable=SC2016 # the inner shell's own words
exec unshare --mount --pid --fork --kill-child bash -c '
    set -e
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    exec chroot "$1" env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        bash -c "cd /ncpbench && exec \"\$@\"" bare "${@:2}"' bare "$folder" "$@"
