# Shared by tests/run.sh, results/reproduce.sh and .ci/run, which source it: installs what is missing, and builds.
# shellcheck shell=bash

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# say TEXT: a message, apart from the data on standard output
say() {
    printf '%s\n' "$*" >&2
}

# quietly COMMAND...: shows the end of what it printed only where it fails
quietly() {
    "$@" </dev/null >"$log" 2>&1 || {
        tail -n 60 "$log" >&2
        say "Failed: $*"
        exit 3
    }
}

progress_s=5
# followed COMMAND...: quietly, but with a line every progress_s seconds that says how far apt or ninja is
followed() {
    local line text last=$SECONDS
    : >"$log"
    "$@" 2>&1 </dev/null | while IFS= read -r line; do
        if [[ $line =~ ^(dl|pm)status:.*:([0-9]+)[0-9.]*:(.*)$ ]]; then # apt: what, item, percent, words
            text="${BASH_REMATCH[3]} (${BASH_REMATCH[2]} %)"
        elif [[ $line =~ ^\[[0-9]+/[0-9]+\] ]]; then # ninja
            text=${BASH_REMATCH[0]}
        else
            printf '%s\n' "$line" >>"$log"
            continue
        fi
        if [ $((SECONDS - last)) -ge "$progress_s" ]; then
            last=$SECONDS
            say "  $text"
        fi
    done || {
        tail -n 60 "$log" >&2
        say "Failed: $*"
        exit 3
    }
}

# packages_of [WHAT...]: the packages of sections of tests/packages.txt (of all where none is named), or of another list by its file
packages_of() {
    local what
    [ $# -gt 0 ] || set -- build figures claims tests
    for what; do
        if [ -f "$what" ]; then cat "$what"; else sed -n "/^# $what\$/,/^\$/p" "$root/tests/packages.txt"; fi
    done | sed 's/#.*//; s/[[:space:]]//g; /^$/d' | LC_ALL=C sort -u
}

# missing_packages [WHAT...]: those of them that are not installed
missing_packages() {
    local wanted installed
    wanted=$(packages_of "$@")
    # shellcheck disable=SC2086 # one word a package
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null || true)
    LC_ALL=C comm -23 <(printf '%s\n' "$wanted") <(sed -n 's/^installed //p' <<<"$installed" | LC_ALL=C sort -u)
}

# install_packages [WHAT...]: what this machine lacks of packages_of WHAT, through sudo where not root
install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "No Debian: nothing is installed here; tests/packages.txt lists what the build takes."
        return
    fi
    # the status goes to a descriptor of its own, opened within sudo, which closes what it gets
    # shellcheck disable=SC2016 # the inner shell's own words
    local missing apt=(env DEBIAN_FRONTEND=noninteractive sh -c 'exec "$0" "$@" 3>&1' apt-get -q -y -o DPkg::Lock::Timeout=300 -o APT::Status-Fd=3)
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null || ! sudo true 2>/dev/null; then
            say "Missing packages, and neither root nor sudo to install them: apt-get install ${missing[*]}"
            exit 3
        fi
        apt=(sudo "${apt[@]}")
    fi
    say "Installing ${missing[*]} ..."
    followed "${apt[@]}" update
    followed "${apt[@]}" install --no-install-recommends "${missing[@]}"
}

# build PRESET [--target NAME] [cmake options]: configures and builds build/PRESET; the build's progress shows
build() {
    local preset=$1 show=followed target=()
    shift
    [ "${1:-}" != --target ] || { target=("$1" "$2") && shift 2; }
    cd "$root"
    say "Building build/$preset ..."
    quietly cmake --preset "$preset" "$@"
    [ ! -t 1 ] || show=
    $show cmake --build --preset "$preset" "${target[@]}"
}
