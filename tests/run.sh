#!/usr/bin/env bash
# bash tests/run.sh [--preset NAME] [ctest options]
# Installs what is missing, builds, and runs all tests. Presets: release (unless told otherwise), debug (address and
# undefined-behaviour sanitizers), coverage.
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

preset=release
if [ "${1:-}" = --preset ]; then
    preset=${2:?"--preset takes a name: release, debug or coverage"}
    shift 2
fi
install_packages
build "$preset"
ctest --preset "$preset" --parallel "$(nproc)" "$@" </dev/null
