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

# missing_packages LIST...: those of the lists that are not installed
missing_packages() {
    local wanted installed
    wanted=$(sed 's/#.*//; s/[[:space:]]//g; /^$/d' "$@" | LC_ALL=C sort -u)
    # shellcheck disable=SC2086 # one word a package
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null || true)
    LC_ALL=C comm -23 <(printf '%s\n' "$wanted") <(sed -n 's/^installed //p' <<<"$installed" | LC_ALL=C sort -u)
}

# install_packages [LIST...]: what tests/packages.txt and the lists name and this machine lacks, through sudo where not
# root
install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "No Debian: nothing is installed here; tests/packages.txt lists what the build takes."
        return
    fi
    local missing apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
    mapfile -t missing < <(missing_packages "$root/tests/packages.txt" "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null || ! sudo true 2>/dev/null; then
            say "Missing packages, and neither root nor sudo to install them: apt-get install ${missing[*]}"
            exit 3
        fi
        apt=(sudo "${apt[@]}")
    fi
    say "Installing ${missing[*]} ..."
    quietly "${apt[@]}" update
    quietly "${apt[@]}" install --no-install-recommends "${missing[@]}"
}

# build PRESET [cmake options]: configures and builds build/PRESET; the build's progress shows on a terminal
build() {
    local preset=$1 show=quietly
    shift
    cd "$root"
    say "Building build/$preset ..."
    quietly cmake --preset "$preset" "$@"
    [ ! -t 1 ] || show=
    $show cmake --build --preset "$preset"
}
