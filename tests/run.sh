#!/usr/bin/env bash
# bash tests/run.sh [--preset NAME] [ctest options]
# Installs what is missing, builds, and runs all tests. Presets: release (unless told otherwise), debug (address and
# undefined-behaviour sanitizers, without CUDA), coverage. The tests find the programs of tests/packages.txt and tests/optional.txt and no others,
# so that one which takes more fails on every machine.
# shellcheck source-path=SCRIPTDIR source=prepare.sh
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

preset=release
if [ "${1:-}" = --preset ]; then
    preset=${2:?"--preset takes a name: release, debug or coverage"}
    shift 2
fi
# shellcheck disable=SC2119 # all of them
install_packages
build "$preset"
path=$PATH
if command -v dpkg-query >/dev/null; then
    path=$root/build/$preset/programs
    python3 "$root/tests/packages.py" programs "$path"
fi
rm -f "$log"
exec env PATH="$path" "$(command -v ctest)" --preset "$preset" --parallel "$(nproc)" "$@" </dev/null
