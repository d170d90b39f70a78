#!/usr/bin/env bash
# bash results/reproduce.sh [--quick] [options of `ncpbench reproduce`]
# Installs what is missing, builds, runs what the published figures need and draws them under results/figures/.
# Interrupted (Ctrl-C), it leaves a readable record of the runs that were finished.
source "$(dirname "${BASH_SOURCE[0]}")/../tests/prepare.sh"

install_packages
build release
rm -f "$log"
exec build/release/ncpbench reproduce all -o results/figures "$@"
