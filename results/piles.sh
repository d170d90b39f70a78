#!/usr/bin/env bash
# bash results/piles.sh NCPBENCH FOLDER [BODIES...]
# Linear iterations by preconditioner on piles of boxes at rest that are larger than those of `reproduce
# preconditioner-growth`. The boxes stand on each other from the start, every second layer shifted by 0.3 of a place, so
# that each is on four; method auto makes two steps to a natural map of 1e-4 m/s. Then the first Newton system of the next
# step, from these impulses, is solved in the stiffness form by each preconditioner, to an energy error of 1e-6 and beyond;
# `tree` with pairs added back; and the interior-point method solves that step from zero.
# Sizes: 10000; on two cores half an hour. FOLDER has the record of `reproduce preconditioner-growth`, to which they are
# added, its figure, and records of `tree` and of interior-point a size. What is there is not made again.
[ $# -ge 2 ] || { sed -n '2,/^[^#]/s/^# //p' "$0" && exit 64; }
set -eu
program=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- 10000
mkdir -p "$folder"
[ -e "$folder/preconditioner-growth.svg" ] || "$program" reproduce preconditioner-growth -o "$folder"
growth=$folder/reproduce.h5
# make NAME OPTION...: runs that are not there yet; unsolved steps (status 1) are what is looked at
make() {
    local done=$folder/$1.done
    shift
    [ ! -e "$done" ] || return 0
    "$program" run "$@" || [ $? -eq 1 ]
    touch "$done"
}
for bodies; do
    pile=(piling --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.3 --set "count=$bodies"
        --settle 2 --settle-tolerance 1e-4 --steps 1 --repeat 0)
    newton=(--warm-start on --newton-iterations 1 --linear-iterations 6000 --linear-tolerance 1e-12 --reference-linear on
        --form stiffness --linear-solver pcg)
    make "growth-$bodies" "${pile[@]}" "${newton[@]}" --append -o "$growth" \
        --preconditioner block-jacobi,chebyshev,ict,tree,schwarz,factor
    make "tree-$bodies" "${pile[@]}" "${newton[@]}" --preconditioner tree --preconditioner-option extra=0.25,0.5,1 \
        -o "$folder/tree-$bodies.h5"
    make "interior-point-$bodies" "${pile[@]}" --method interior-point --warm-start off --newton-iterations 30 \
        --newton-tolerance 1e-6 --preconditioner block-jacobi,ilut,lu --linear-tolerance 1e-8 --linear-iterations 300 \
        --linear-history off -o "$folder/interior-point-$bodies.h5"
done
"$program" figure preconditioner-growth --from "$growth" -o "$folder/preconditioner-growth.png"
