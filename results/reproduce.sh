#!/usr/bin/env bash
# bash results/reproduce.sh [FIGURE...] [--quick] [options of `ncpbench reproduce`]
# Installs what is missing, builds the program, runs what the published figures need and draws them: all figures under
# results/figures/, those that are named under results/figures/FIGURE[,FIGURE...]/; with --quick smaller runs, under
# results/figures-quick/. With --claims it judges the papers' claims in the place of drawing figures. Interrupted (Ctrl-C),
# it goes on when it is called again. All figures take more than an hour on two cores, and 0.5 GB of disk; with --quick
# two to three minutes.
case " $* " in *" --help "* | *" -h "*) sed -n '2,/^[^#]/s/^# //p' "$0" && exit ;; esac
# shellcheck source-path=SCRIPTDIR source=../tests/prepare.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tests/prepare.sh"

names=() options=() folder= sections=(build figures)
default=results/figures
while [ $# -gt 0 ]; do
    case $1 in
    -o | --output)
        [ $# -gt 1 ] || { say "$1 takes a folder" && exit 64; }
        folder=$2 && shift
        ;;
    -o*) folder=${1#-o} ;;
    --output=*) folder=${1#*=} ;;
    --format | --write) options+=("${@:1:2}") && shift ;; # with the word that follows
    --claims) options+=("$1") && sections+=(claims) ;; # scripts of rules are Python
    --quick) options+=("$1") && default=results/figures-quick ;;
    -*) options+=("$1") ;;
    *) names+=("$1") ;;
    esac
    shift || true # --format without its word is the program's to say
done
wanted=$(IFS=, && echo "${names[*]:-all}")
[ "$wanted" = all ] || default+=/$wanted
[ "$PWD" = "$root" ] || default=$root/$default
folder=${folder:-$default}
mkdir -p "$(dirname "$folder")"

install_packages "${sections[@]}"
(build release --target ncpbench)
rm -f "$log"
exec "$root/build/release/ncpbench" reproduce "$wanted" -o "$folder" "${options[@]}"
