#!/usr/bin/env bash
# bash results/reproduce.sh [--quick] [options of `ncpbench reproduce`]
# Installs what is missing, builds, runs what the published figures need and draws them under results/figures/.
# With --quick the folder is results/figures-quick/. Interrupted (Ctrl-C), it goes on when it is called again.
source "$(dirname "${BASH_SOURCE[0]}")/../tests/prepare.sh"

install_packages
build release
rm -f "$log"
folder=results/figures
[[ " $* " == *" --quick "* ]] && folder=results/figures-quick
exec build/release/ncpbench reproduce all -o "$folder" "$@"
