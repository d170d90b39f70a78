#!/usr/bin/env bash
# What results/reproduce.sh makes of its arguments, and how tests/prepare.sh reads the lists of packages and shows progress: the
# scripts themselves in a made-up tree, where a stub stands in for the program.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
made_up=$(mktemp -d)
trap 'rm -rf "$made_up"' EXIT
bad=0

# same WHAT EXPECTED ACTUAL
same() {
    [ "$2" = "$3" ] && return
    printf '%s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
    bad=1
}

mkdir -p "$made_up"/{tests,results,build/release,elsewhere}
cp "$root"/results/reproduce.sh "$made_up/results"
cp "$root"/tests/{prepare.sh,packages.txt} "$made_up/tests"
{
    echo 'install_packages() { echo "packages: $*"; }'
    # shellcheck disable=SC2016 # its own words
    echo 'build() { cd "$root"; echo "build: $*"; }'
} >>"$made_up/tests/prepare.sh"
printf '#!/bin/sh\necho "ncpbench $*"\n' >"$made_up/build/release/ncpbench"
chmod +x "$made_up/build/release/ncpbench"

# reproduce FOLDER [ARGUMENT...]: what the script calls, from that folder of the made-up tree
reproduce() {
    (cd "$made_up/$1" && bash "$made_up/results/reproduce.sh" "${@:2}" 2>&1)
}
prepared=$'packages: build figures\nbuild: release --target ncpbench\n'
same "all figures" "${prepared}ncpbench reproduce all -o results/figures" "$(reproduce .)"
same "one figure" "${prepared}ncpbench reproduce fig11 -o results/figures/fig11" "$(reproduce . fig11)"
same "two of them, small" "${prepared}ncpbench reproduce fig11,tab02 -o results/figures-quick/fig11,tab02 --quick --force" \
    "$(reproduce . --quick fig11 --force tab02)"
same "claims" "${prepared/figures/figures claims}ncpbench reproduce macklin -o results/figures/macklin --claims --write page.md" \
    "$(reproduce . --claims macklin --write page.md)"
same "options with a word" "${prepared}ncpbench reproduce all -o mine/all --format pdf --quick" \
    "$(reproduce . -o mine/all --format pdf --quick)"
same "--output" "${prepared}ncpbench reproduce fig11 -o mine" "$(reproduce . --output=mine fig11)"
same "-o in one word, from elsewhere" "${prepared}ncpbench reproduce all -o mine" "$(reproduce elsewhere -omine)"
same "the project's folder from elsewhere" "${prepared}ncpbench reproduce all -o $made_up/results/figures" "$(reproduce elsewhere)"
same "-o without its folder" $'-o takes a folder\n64' "$(reproduce . -o || echo $?)"
same "the folder for a named figure is there" "yes" "$([ -d "$made_up/results/figures" ] && echo yes)"
case $(reproduce . --help) in "bash results/reproduce.sh [FIGURE...]"*) ;; *) echo "--help does not help" && bad=1 ;; esac

# a folder that tests/bare.sh did not make stays as it is
mkdir "$made_up/own"
touch "$made_up/own/file"
for place in own own/file; do
    same "bare.sh in $place" "bare.sh: '$made_up/$place' is there, and was not made by this script; name another folder
64" "$(bash "$root/tests/bare.sh" "$made_up/$place" true 2>&1 || echo $?)"
done
same "what is in it" "file" "$(ls -A "$made_up/own")"

# apt's status has a descriptor of its own, also through a sudo that closes what it gets
mkdir "$made_up/bin"
printf '#!/bin/sh\necho 1000\n' >"$made_up/bin/id"
printf '#!/bin/sh\nexec "$@" 3>&- 4>&-\n' >"$made_up/bin/sudo"
printf '#!/bin/sh\n' >"$made_up/bin/dpkg-query"
printf '#!/bin/sh\ncase " $* " in *" APT::Status-Fd=3 "*) echo dlstatus:1:50.0:Retrieving "${1#-}" >&3 ;; esac\n' >"$made_up/bin/apt-get"
chmod +x "$made_up"/bin/*
# shellcheck disable=SC2034 # read by `followed`
same "apt's descriptor" $'Installing gnuplot-nox ...\n  Retrieving q (50 %)\n  Retrieving q (50 %)' \
    "$(source "$root/tests/prepare.sh" && progress_s=0 && packages_of() { echo gnuplot-nox; } && PATH=$made_up/bin:$PATH install_packages figures 2>&1)"

# the rest of prepare.sh, as it is; `say` writes to standard error
# shellcheck source-path=SCRIPTDIR source=prepare.sh
(source "$root/tests/prepare.sh"
 same "sections are found" "gcc gnuplot-nox zsh" "$(packages_of build figures tests | grep -xE 'gcc|gnuplot-nox|zsh' | paste -sd ' ' -)"
 same "one section is not another" "fonts-dejavu-core gnuplot-nox" "$(packages_of figures | paste -sd ' ' -)"
 same "a list by its file" "valgrind" "$(packages_of "$root/tests/checks/packages.txt" | grep valgrind)"
 # shellcheck disable=SC2317 # called by `followed`
 speaks() {
     printf '%s\n' "$1"
     return "${2:-0}"
 }
 # shellcheck disable=SC2034 # read by `followed`
 progress_s=0
 same "apt's progress" "  Retrieving file 2 of 87 (3 %)" "$(followed speaks 'dlstatus:2:3.2456:Retrieving file 2 of 87' 2>&1)"
 same "a package with its architecture" "  Installing libgcc (38 %)" "$(followed speaks 'pmstatus:libgcc:amd64:38.4:Installing libgcc' 2>&1)"
 same "ninja's progress" "  [12/338]" "$(followed speaks '[12/338] Building C object core/x.o' 2>&1)"
 same "what else is said is kept for a failure" "" "$(followed speaks 'Reading package lists...' 2>&1)"
 same "a failure shows it, and ends" $'E: no such package\nFailed: speaks E: no such package 1\n3' \
     "$( (followed speaks 'E: no such package' 1) 2>&1 || echo $?)"
 exit "$bad") || bad=1
exit "$bad"
