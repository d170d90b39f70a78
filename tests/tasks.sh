#!/usr/bin/env bash
# bash tests/tasks.sh [PAGE...]
# Follows README.md and the pages of docs/ as a newcomer does: what stands in blocks of language sh, then of python where h5py is installed, as
# it stands, in a fresh clone. The first command installs and builds. On a Debian with nothing else:
#     bash tests/bare.sh FOLDER bash -c 'git clean -fdq && bash tests/tasks.sh'
# Prints a line a page with its time; status 1 where a command failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 3
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# blocks LANGUAGE PAGE: the lines of its blocks of this language
blocks() {
    awk -v opening="\`\`\`$1" '/^```/ { inside = !inside && $0 == opening; next } inside' "$2"
}

# followed PAGE: 1 and 2, not converged and a check failed, are results like others
followed() {
    # shellcheck disable=SC2016 # the inner shell's own words
    bash -c 'trap "status=\$?; [ \$status -le 2 ] || exit \$status" ERR
'"$(blocks sh "$1")" || return
    ! python3 -c 'import h5py' 2>/dev/null || blocks python "$1" | python3 -
}

[ $# -gt 0 ] || set -- docs/reproduce.md README.md docs/[!r]*.md
failed=0
for page; do
    SECONDS=0
    if followed "$page" >"$log" 2>&1 </dev/null; then
        echo "$page: $SECONDS s"
    else
        tail -n 20 "$log"
        echo "$page: FAILED"
        failed=1
    fi
done
exit $failed
